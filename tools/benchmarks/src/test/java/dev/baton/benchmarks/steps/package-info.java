/** Tests of the benchmark's options. */
@NullMarked
package dev.baton.benchmarks.steps;

import org.jspecify.annotations.NullMarked;
