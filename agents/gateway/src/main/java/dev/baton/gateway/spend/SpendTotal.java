/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.spend;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What answers have cost.
 *
 * @param turns number of answers, those that broke off included
 * @param usage tokens, as far as the answers contain them
 * @param cost in US dollars, of the answers whose cost is known
 * @param unknown number of answers whose usage or price is unknown; the cost is a lower bound then
 */
public record SpendTotal(long turns, TokenUsage usage, BigDecimal cost, long unknown) {
  public static final SpendTotal NONE = new SpendTotal(0, TokenUsage.NONE, BigDecimal.ZERO, 0);

  public SpendTotal plus(@Nullable TokenUsage more, @Nullable BigDecimal moreCost) {
    return new SpendTotal(
        turns + 1,
        more == null ? usage : usage.plus(more),
        moreCost == null ? cost : cost.add(moreCost),
        more == null || moreCost == null ? unknown + 1 : unknown);
  }
}
