/** Tests of the benchmark of snapshots. */
@NullMarked
package dev.baton.benchmarks.snapshot;

import org.jspecify.annotations.NullMarked;
