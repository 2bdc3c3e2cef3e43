/**
 * Baton's part in the benchmark of snapshots: a process that does what a runner does at a step's
 * end.
 */
@NullMarked
package dev.baton.benchmarks.capture;

import org.jspecify.annotations.NullMarked;
