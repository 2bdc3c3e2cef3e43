/**
 * The benchmark of snapshots: what it costs to keep the state of a directory, and to get it back.
 */
@NullMarked
package dev.baton.benchmarks.snapshot;

import org.jspecify.annotations.NullMarked;
