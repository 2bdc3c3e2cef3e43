/** Tests of how Baton takes part in the benchmark of snapshots. */
@NullMarked
package dev.baton.benchmarks.capture;

import org.jspecify.annotations.NullMarked;
