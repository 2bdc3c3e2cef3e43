/** Tests of the command. */
@NullMarked
package dev.baton.benchmarks;

import org.jspecify.annotations.NullMarked;
