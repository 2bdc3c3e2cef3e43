/** A Restate server under measurement, from npm. */
@NullMarked
package dev.baton.benchmarks.restate;

import org.jspecify.annotations.NullMarked;
