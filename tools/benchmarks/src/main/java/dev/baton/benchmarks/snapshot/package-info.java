/** The snapshot benchmark: the cost of saving the state of a directory, and of restoring it. */
@NullMarked
package dev.baton.benchmarks.snapshot;

import org.jspecify.annotations.NullMarked;
