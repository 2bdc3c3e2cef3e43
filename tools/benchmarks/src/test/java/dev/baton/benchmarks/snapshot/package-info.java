/** Tests of the snapshot benchmark. */
@NullMarked
package dev.baton.benchmarks.snapshot;

import org.jspecify.annotations.NullMarked;
