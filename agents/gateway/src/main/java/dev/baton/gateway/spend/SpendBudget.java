/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.spend;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a run may spend on its models; null for no limit.
 *
 * @param cost in US dollars
 * @param tokens in and out, those of caches included
 * @param turns number of answers
 * @param deadline after which no request goes out
 */
public record SpendBudget(
    @Nullable BigDecimal cost,
    @Nullable Long tokens,
    @Nullable Long turns,
    @Nullable Instant deadline) {
  public static final SpendBudget UNLIMITED = new SpendBudget(null, null, null, null);

  public SpendBudget {
    if (cost != null && cost.signum() <= 0) {
      throw new IllegalArgumentException("budget: cost " + cost + " is not above 0");
    }
    if (tokens != null && tokens <= 0) {
      throw new IllegalArgumentException("budget: tokens " + tokens + " is not above 0");
    }
    if (turns != null && turns <= 0) {
      throw new IllegalArgumentException("budget: turns " + turns + " is not above 0");
    }
  }
}
