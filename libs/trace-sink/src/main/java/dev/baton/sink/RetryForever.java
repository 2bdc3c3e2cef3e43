/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.retry.Backoff;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries an operation with exponential backoff until it succeeds. The retries are unlimited by
 * design: no record of the trace may be lost, and readiness shows the outage.
 */
final class RetryForever {
  private static final Logger LOG = LoggerFactory.getLogger(RetryForever.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(30);

  private RetryForever() {}

  static <T> Uni<T> retry(String what, Supplier<Uni<T>> attempt) {
    return retry(what, attempt, failure -> true);
  }

  /**
   * @param retryable whether to retry after a failure; other failures are propagated
   */
  static <T> Uni<T> retry(String what, Supplier<Uni<T>> attempt, Predicate<Throwable> retryable) {
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    Predicate<Throwable> again =
        failure -> !(failure instanceof SinkFatalException) && retryable.test(failure);
    return Uni.createFrom()
        .deferred(attempt::get)
        .ifNoItem()
        .after(LONGEST_ATTEMPT)
        .fail()
        .onFailure(again)
        .invoke(failure -> LOG.warn("trace: failed to {}, retrying: {}", what, words(failure)))
        .onFailure(again)
        .retry()
        .when(
            failures ->
                failures
                    .onItem()
                    .transformToUniAndConcatenate(
                        failure ->
                            Uni.createFrom().item(failure).onItem().delayIt().by(backoff.next())));
  }

  static String words(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }
}
