/** Reads and writes the format of a run's log: records of lines, and the index of a chunk. */
@NullMarked
package dev.baton.protocol.log;

import org.jspecify.annotations.NullMarked;
