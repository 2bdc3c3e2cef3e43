/** Tests of the comparison of two stacks. */
@NullMarked
package dev.baton.benchmarks.pair;

import org.jspecify.annotations.NullMarked;
