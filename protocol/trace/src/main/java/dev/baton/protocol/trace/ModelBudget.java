/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * What agent steps may spend on their models; null for no limit.
 *
 * @param cost in US dollars
 * @param tokens in and out, those of caches included
 * @param turns number of answers
 */
public record ModelBudget(@Nullable BigDecimal cost, @Nullable Long tokens, @Nullable Long turns) {
  public static final ModelBudget NONE = new ModelBudget(null, null, null);

  /** Returns this budget with the limits of another one where that has some. */
  public ModelBudget replacedBy(@Nullable ModelBudget other) {
    return other == null
        ? this
        : new ModelBudget(
            other.cost == null ? cost : other.cost,
            other.tokens == null ? tokens : other.tokens,
            other.turns == null ? turns : other.turns);
  }
}
