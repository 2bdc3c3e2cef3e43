/** Tests of the command line. */
@NullMarked
package dev.baton.benchmarks;

import org.jspecify.annotations.NullMarked;
