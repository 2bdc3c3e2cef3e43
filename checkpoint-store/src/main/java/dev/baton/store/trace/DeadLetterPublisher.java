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

/** Sends poison records to the dead-letter topic, with unlimited retries. */
@ApplicationScoped
class DeadLetterPublisher {
  private static final Logger LOG = Logger.getLogger(DeadLetterPublisher.class);

  private final DeadLetterProducer deadLetters;
  private final TraceMetrics metrics;

  DeadLetterPublisher(DeadLetterProducer deadLetters, TraceMetrics metrics) {
    this.deadLetters = deadLetters;
    this.metrics = metrics;
  }

  /** Sends the records in order. Completes once the broker has acknowledged the last. */
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
        "%s-%d: record at offset %d moved to the dead-letter topic: %s",
        poison.record().topic(),
        poison.record().partition(),
        poison.record().offset(),
        poison.reason());
  }
}
