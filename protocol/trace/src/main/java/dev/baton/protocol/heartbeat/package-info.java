/** The heartbeat that a runner sends for each of its runs. */
@NullMarked
package dev.baton.protocol.heartbeat;

import org.jspecify.annotations.NullMarked;
