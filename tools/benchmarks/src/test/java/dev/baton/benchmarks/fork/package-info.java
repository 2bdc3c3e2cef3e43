/** Tests of the benchmark's options. */
@NullMarked
package dev.baton.benchmarks.fork;

import org.jspecify.annotations.NullMarked;
