/** Heartbeats of each run, from a thread that no step can block. */
@NullMarked
package dev.baton.runner.heartbeat;

import org.jspecify.annotations.NullMarked;
