/** Restate under measurement, with a server from npm. */
@NullMarked
package dev.baton.benchmarks.restate;

import org.jspecify.annotations.NullMarked;
