/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.store.failure.FailureTranslator;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Stores a batch in Postgres. Retries during an outage, continues after a commit whose response was
 * lost, and sets aside events that Postgres refuses.
 */
@ApplicationScoped
class TraceBatchWriter {
  private final PartitionPositionTracker assignments;
  private final PositionStore positions;
  private final TraceRepository writer;
  private final DeadLetterPublisher burial;
  private final TraceMetrics metrics;
  private final StoredEventNotifier wakeups;
  private final FatalErrorHandler fatal;
  private final Event<RunsQuiescedEvent> rested;

  TraceBatchWriter(
      @Identifier("trace-positions") PartitionPositionTracker assignments,
      PositionStore positions,
      TraceRepository writer,
      DeadLetterPublisher burial,
      TraceMetrics metrics,
      StoredEventNotifier wakeups,
      FatalErrorHandler fatal,
      Event<RunsQuiescedEvent> rested) {
    this.assignments = assignments;
    this.positions = positions;
    this.writer = writer;
    this.burial = burial;
    this.metrics = metrics;
    this.wakeups = wakeups;
    this.fatal = fatal;
    this.rested = rested;
  }

  /**
   * Stores the events and advances the positions.
   *
   * @param batch continues at the expected positions; its poison is already in the dead-letter
   *     topic
   */
  Uni<Void> store(DecodedBatch batch, Map<Integer, Long> expected) {
    if (batch.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    long start = System.nanoTime();
    // A retry is safe even if an earlier attempt was committed: the statement advances the
    // positions by compare-and-set, and its outcome is then Moved.
    return RetryForever.insist(
            "store " + batch.events().size() + " events",
            Uni.createFrom().deferred(() -> writer.write(batch, expected)),
            failure -> !isRefused(failure, batch))
        .chain(
            outcome ->
                switch (outcome) {
                  case TraceRepository.Outcome.Stored stored -> {
                    assignments.advance(expected, batch.next());
                    metrics.stored(
                        batch, stored.events(), Duration.ofNanos(System.nanoTime() - start));
                    wakeups.wake(batch.runs());
                    tell(batch.resting());
                    yield Uni.createFrom().voidItem();
                  }
                  case TraceRepository.Outcome.Moved moved -> reconcile(batch, expected);
                })
        .onFailure(failure -> isRefused(failure, batch))
        .recoverWithUni(refusal -> sift(batch, expected, refusal));
  }

  /** Publishes a hint. An observer that misses it finds the stored events. */
  private void tell(Set<String> runs) {
    if (!runs.isEmpty()) {
      rested.fire(new RunsQuiescedEvent(runs));
    }
  }

  private static boolean isRefused(Throwable failure, DecodedBatch batch) {
    return FailureTranslator.isRefused(failure) && !batch.events().isEmpty();
  }

  /** Bisects the batch to the event that Postgres refuses, and sends that to the dead letters. */
  private Uni<Void> sift(DecodedBatch batch, Map<Integer, Long> expected, Throwable refusal) {
    int events = batch.events().size();
    if (events == 1) {
      EventRow culprit = batch.events().getFirst();
      String reason =
          culprit.id() + " was refused by Postgres: " + FailureTranslator.words(refusal);
      return burial
          .of(List.of(new PoisonRecord(culprit.record(), reason)))
          .chain(() -> store(batch.withoutEvents(), expected));
    }
    DecodedBatch head = batch.head(events / 2);
    Map<Integer, Long> between = new HashMap<>(expected);
    between.putAll(head.next());
    return store(head, expected).chain(() -> store(batch.from(between), between));
  }

  /**
   * Continues after a position that is ahead of the expected one: either the response of our own
   * commit was lost, or another consumer took over. In both cases the records before the position
   * are stored, so only the rest of the batch remains.
   */
  private Uni<Void> reconcile(DecodedBatch batch, Map<Integer, Long> expected) {
    return RetryForever.insist(
            "read the positions",
            Uni.createFrom().deferred(() -> positions.read(batch.spans().keySet())))
        .chain(
            actual -> {
              actual.forEach(
                  (partition, position) -> {
                    if (position < expected.getOrDefault(partition, 0L)) {
                      throw fatal.because(
                          "partition %d: its stored position decreased from %d to %d"
                              .formatted(partition, expected.get(partition), position));
                    }
                  });
              assignments.advance(expected, actual);
              wakeups.wake(batch.runs());
              return store(batch.from(actual), actual);
            });
  }
}
