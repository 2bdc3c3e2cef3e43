/** The format of a run's log: records of lines, and the index of a chunk of them. */
@NullMarked
package dev.baton.protocol.log;

import org.jspecify.annotations.NullMarked;
