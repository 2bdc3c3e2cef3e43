/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.upstream;

import java.time.Duration;

/**
 * Bounds on the repetition of a request before a part of its answer has reached the agent.
 *
 * @param maxAttempts number of requests, the first included
 * @param maxTime from the first request to the start of the last one
 * @param first first delay, which doubles up to {@code longest}; with jitter
 */
public record RetryPolicy(int maxAttempts, Duration maxTime, Duration first, Duration longest) {
  /** Ends before the agents, of which the first gives up after five minutes. */
  public static final RetryPolicy STANDARD =
      new RetryPolicy(30, Duration.ofMinutes(4), Duration.ofMillis(500), Duration.ofSeconds(20));

  public RetryPolicy {
    if (maxAttempts < 1) {
      throw new IllegalArgumentException(
          "retries: max_attempts " + maxAttempts + " is not 1 or more");
    }
  }
}
