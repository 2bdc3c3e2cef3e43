/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.spend;

import java.math.BigDecimal;

/**
 * The price of a model, in US dollars for a million tokens.
 *
 * @param maxOutput the largest answer of the model, in tokens; bounds answers for which a request
 *     has no bound
 */
public record ModelPrice(
    BigDecimal input,
    BigDecimal output,
    BigDecimal cacheRead,
    BigDecimal cacheWrite,
    BigDecimal cacheWriteLong,
    long maxOutput) {
  private static final int MILLION = 6;

  public ModelPrice {
    for (BigDecimal price :
        new BigDecimal[] {input, output, cacheRead, cacheWrite, cacheWriteLong}) {
      if (price.signum() < 0) {
        throw new IllegalArgumentException("price: " + price + " is negative");
      }
    }
    if (maxOutput < 1) {
      throw new IllegalArgumentException("price: max_output " + maxOutput + " is not 1 or more");
    }
  }

  /** The cost of the tokens in US dollars, exact. */
  public BigDecimal cost(TokenUsage usage) {
    return input
        .multiply(BigDecimal.valueOf(usage.input()))
        .add(output.multiply(BigDecimal.valueOf(usage.output())))
        .add(cacheRead.multiply(BigDecimal.valueOf(usage.cacheRead())))
        .add(cacheWrite.multiply(BigDecimal.valueOf(usage.cacheWrite())))
        .add(cacheWriteLong.multiply(BigDecimal.valueOf(usage.cacheWriteLong())))
        .movePointLeft(MILLION)
        .stripTrailingZeros();
  }

  /** The largest price of a token of a request, in US dollars. */
  BigDecimal dearestInput() {
    return input.max(cacheRead).max(cacheWrite).max(cacheWriteLong).movePointLeft(MILLION);
  }

  BigDecimal outputToken() {
    return output.movePointLeft(MILLION);
  }
}
