/** The benchmark of no-op steps: the cost of a durable step. */
@NullMarked
package dev.baton.benchmarks.steps;

import org.jspecify.annotations.NullMarked;
