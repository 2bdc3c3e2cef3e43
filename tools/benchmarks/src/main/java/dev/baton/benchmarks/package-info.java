/** Whole-system benchmarks: starts the systems, gives them the same work by turns, reports. */
@NullMarked
package dev.baton.benchmarks;

import org.jspecify.annotations.NullMarked;
