/** The benchmark of no-op steps: what it costs to make a step durable. */
@NullMarked
package dev.baton.benchmarks.steps;

import org.jspecify.annotations.NullMarked;
