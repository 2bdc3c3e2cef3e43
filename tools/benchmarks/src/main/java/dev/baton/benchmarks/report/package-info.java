/** Figures as a table, as JSON and as a picture. */
@NullMarked
package dev.baton.benchmarks.report;

import org.jspecify.annotations.NullMarked;
