/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.spend;

/**
 * The tokens of answers. The five input and output counts do not overlap, so that each token has
 * one price; reasoning is a part of the output.
 *
 * @param input tokens of the request that were read without a cache
 * @param cacheRead tokens of the request that came from the provider's cache
 * @param cacheWrite tokens of the request that were written to the provider's cache for five
 *     minutes
 * @param cacheWriteLong those written for an hour
 * @param output tokens of the answer, reasoning included
 * @param reasoning the part of {@code output} that the provider counts as reasoning; 0 where it
 *     does not count it
 */
public record TokenUsage(
    long input, long cacheRead, long cacheWrite, long cacheWriteLong, long output, long reasoning) {
  public static final TokenUsage NONE = new TokenUsage(0, 0, 0, 0, 0, 0);

  public TokenUsage {
    if (input < 0
        || cacheRead < 0
        || cacheWrite < 0
        || cacheWriteLong < 0
        || output < 0
        || reasoning < 0) {
      throw new IllegalArgumentException("usage: a count of tokens is negative");
    }
  }

  public TokenUsage plus(TokenUsage other) {
    return new TokenUsage(
        Math.addExact(input, other.input),
        Math.addExact(cacheRead, other.cacheRead),
        Math.addExact(cacheWrite, other.cacheWrite),
        Math.addExact(cacheWriteLong, other.cacheWriteLong),
        Math.addExact(output, other.output),
        Math.addExact(reasoning, other.reasoning));
  }

  /** All tokens in and out, those of caches included. */
  public long total() {
    return input + cacheRead + cacheWrite + cacheWriteLong + output;
  }
}
