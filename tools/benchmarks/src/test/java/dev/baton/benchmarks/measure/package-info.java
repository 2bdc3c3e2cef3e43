/** Tests of how figures are computed. */
@NullMarked
package dev.baton.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
