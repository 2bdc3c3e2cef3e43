/** Measurements of a system, and the computation of figures. */
@NullMarked
package dev.baton.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
