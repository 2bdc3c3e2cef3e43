/**
 * Whole-system benchmarks: starts the systems, runs the same workload on each in turn, writes
 * reports.
 */
@NullMarked
package dev.baton.benchmarks;

import org.jspecify.annotations.NullMarked;
