/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.jboss.logging.Logger;

/** Brings poison to the dead-letter topic, however long that is away. */
@ApplicationScoped
class DeadLetterPublisher {
  private static final Logger LOG = Logger.getLogger(DeadLetterPublisher.class);

  private final DeadLetterProducer deadLetters;
  private final TraceMetrics metrics;

  DeadLetterPublisher(DeadLetterProducer deadLetters, TraceMetrics metrics) {
    this.deadLetters = deadLetters;
    this.metrics = metrics;
  }

  /** In order; completes once the broker has acknowledged the last. */
  Uni<Void> of(List<PoisonRecord> all) {
    if (all.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return Multi.createFrom()
        .iterable(all)
        .onItem()
        .transformToUniAndConcatenate(
            poison ->
                RetryForever.insist(
                    "send a record to the dead-letter topic",
                    Uni.createFrom()
                        .deferred(() -> deadLetters.send(poison))
                        .invoke(() -> report(poison))))
        .collect()
        .last()
        .replaceWithVoid();
  }

  private void report(PoisonRecord poison) {
    metrics.poisoned();
    LOG.warnf(
        "%s-%d offset %d went to the dead-letter topic: %s",
        poison.record().topic(),
        poison.record().partition(),
        poison.record().offset(),
        poison.reason());
  }
}
