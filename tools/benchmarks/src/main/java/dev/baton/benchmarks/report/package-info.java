/** Writes figures as a table, as JSON and as a chart. */
@NullMarked
package dev.baton.benchmarks.report;

import org.jspecify.annotations.NullMarked;
