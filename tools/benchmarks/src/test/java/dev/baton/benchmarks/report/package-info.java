/** Tests of what is written. */
@NullMarked
package dev.baton.benchmarks.report;

import org.jspecify.annotations.NullMarked;
