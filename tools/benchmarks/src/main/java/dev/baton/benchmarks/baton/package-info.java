/** Baton under measurement: the embedded stack, its trace and its broker's own limits. */
@NullMarked
package dev.baton.benchmarks.baton;

import org.jspecify.annotations.NullMarked;
