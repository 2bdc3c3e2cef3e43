/** Tokens, prices, cost and budgets. */
@NullMarked
package dev.baton.gateway.spend;

import org.jspecify.annotations.NullMarked;
