/** Expressions: jq over {@code {input, steps, run}}, the only way to pass data to a step. */
@NullMarked
package dev.baton.protocol.expression;

import org.jspecify.annotations.NullMarked;
