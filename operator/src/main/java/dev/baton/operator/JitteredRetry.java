/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.protocol.retry.Backoff;
import io.javaoperatorsdk.operator.processing.retry.Retry;
import io.javaoperatorsdk.operator.processing.retry.RetryExecution;
import java.time.Duration;
import java.util.Optional;

/** Retries failed reconciliations without end, after 0.5 to 60 s with jitter. Thread-safe. */
final class JitteredRetry implements Retry {
  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration MAX = Duration.ofMinutes(1);

  @Override
  public RetryExecution initExecution() {
    return new Attempts();
  }

  /** The attempts for one event. */
  private static final class Attempts implements RetryExecution {
    private final Backoff backoff = Backoff.exponential(FIRST, MAX);
    private int count;

    @Override
    public Optional<Long> nextDelay() {
      count++;
      return Optional.of(backoff.next().toMillis());
    }

    @Override
    public int getAttemptCount() {
      return count;
    }

    @Override
    public boolean isLastAttempt() {
      return false;
    }
  }
}
