/** The sign of life that a runner sends for each run it carries. */
@NullMarked
package dev.baton.protocol.heartbeat;

import org.jspecify.annotations.NullMarked;
