/** Command lines: options with values, errors that name the wrong one and what is allowed. */
@NullMarked
package dev.baton.benchmarks.arguments;

import org.jspecify.annotations.NullMarked;
