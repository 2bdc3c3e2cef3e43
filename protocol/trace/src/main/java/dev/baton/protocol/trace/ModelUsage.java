/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.math.BigDecimal;

/**
 * The tokens of an answer. All but the last do not overlap.
 *
 * @param input read without a cache
 * @param output the answer, reasoning included
 * @param cacheRead read from the provider's cache
 * @param cacheWrite written to the provider's cache
 * @param cacheWriteLong written to it for an hour
 * @param reasoning part of the output that the provider counts as reasoning
 */
public record ModelUsage(
    long input, long output, long cacheRead, long cacheWrite, long cacheWriteLong, long reasoning) {
  /** In place of the form of requests: an agent with its own login has reported the answer. */
  public static final String REPORTED = "reported";

  public static final ModelUsage NONE = new ModelUsage(0, 0, 0, 0, 0, 0);

  /** All tokens in and out, those of caches included. */
  @JsonIgnore
  public long total() {
    return input + output + cacheRead + cacheWrite + cacheWriteLong;
  }

  public ModelUsage plus(ModelUsage other) {
    return new ModelUsage(
        input + other.input,
        output + other.output,
        cacheRead + other.cacheRead,
        cacheWrite + other.cacheWrite,
        cacheWriteLong + other.cacheWriteLong,
        reasoning + other.reasoning);
  }

  /** Returns a number without trailing zeros, as a reader of JSON trees has it. */
  static BigDecimal plain(BigDecimal number) {
    BigDecimal plain = number.stripTrailingZeros();
    return plain.scale() < 0 ? plain.setScale(0) : plain;
  }
}
