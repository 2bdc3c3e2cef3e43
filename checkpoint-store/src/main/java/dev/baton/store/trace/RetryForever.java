/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.store.failure.FailureTranslator;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.function.Predicate;
import org.jboss.logging.Logger;

/**
 * Retries an operation with exponential backoff until it succeeds. The retries are unlimited by
 * design: no event of the trace may be lost, and readiness shows the outage.
 */
final class RetryForever {
  private static final Logger LOG = Logger.getLogger(RetryForever.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(30);

  private RetryForever() {}

  static <T> Uni<T> insist(String what, Uni<T> attempt) {
    return insist(what, attempt, failure -> true);
  }

  /**
   * @param hopeful whether to retry after a failure; other failures are propagated
   */
  static <T> Uni<T> insist(String what, Uni<T> attempt, Predicate<Throwable> hopeful) {
    Predicate<Throwable> again =
        failure ->
            !(failure instanceof FatalErrorHandler.ProcessEndingException) && hopeful.test(failure);
    return attempt
        .ifNoItem()
        .after(LONGEST_ATTEMPT)
        .fail()
        .onFailure(again)
        .invoke(e -> LOG.warnf("failed to %s, retrying: %s", what, FailureTranslator.words(e)))
        .onFailure(again)
        .retry()
        .withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
        .withJitter(0.2)
        .indefinitely();
  }
}
