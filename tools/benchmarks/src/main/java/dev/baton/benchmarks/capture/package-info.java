/** Baton's process in the snapshot benchmark: performs a runner's work at the end of a step. */
@NullMarked
package dev.baton.benchmarks.capture;

import org.jspecify.annotations.NullMarked;
