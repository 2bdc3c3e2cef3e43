/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.time.Duration;

/**
 * How often a failed step is retried, and after which delay. No jitter: a resumed run must wait as
 * long as the first one.
 *
 * @param max retries after the first attempt, 0 to {@value #LIMIT}
 * @param backoff before the first retry
 * @param factor by which each delay is longer than the one before, 1 to 10
 * @param maxBackoff upper limit of a delay
 */
public record StepRetryPolicy(int max, Duration backoff, double factor, Duration maxBackoff) {
  public static final int LIMIT = 1_000;
  public static final StepRetryPolicy NONE =
      new StepRetryPolicy(0, Duration.ofSeconds(1), 2, Duration.ofSeconds(30));

  /**
   * Returns the delay after a failed attempt.
   *
   * @param attempt the failed one, from 1
   */
  public Duration delayAfter(int attempt) {
    double millis = backoff.toMillis() * Math.pow(factor, Math.max(0, attempt - 1));
    return millis >= maxBackoff.toMillis() ? maxBackoff : Duration.ofMillis((long) millis);
  }

  /** Whether another attempt follows a failed one. */
  public boolean allowsAfter(int attempt) {
    return attempt <= max;
  }
}
