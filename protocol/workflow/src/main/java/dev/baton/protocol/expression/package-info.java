/** Expressions: jq over {@code {input, steps, run}}, the only way data reaches a step. */
@NullMarked
package dev.baton.protocol.expression;

import org.jspecify.annotations.NullMarked;
