/** Tests of the report writers. */
@NullMarked
package dev.baton.benchmarks.report;

import org.jspecify.annotations.NullMarked;
