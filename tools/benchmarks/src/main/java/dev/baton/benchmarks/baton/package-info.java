/** Baton under measurement: the embedded stack, its trace, and the limits of its broker. */
@NullMarked
package dev.baton.benchmarks.baton;

import org.jspecify.annotations.NullMarked;
