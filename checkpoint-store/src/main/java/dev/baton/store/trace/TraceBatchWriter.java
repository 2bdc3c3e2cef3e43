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
 * Brings a batch into Postgres, whatever it takes: waits out an outage, goes on after a commit
 * whose answer was lost, and takes out what Postgres refuses.
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
   * @param batch follows these positions; its poison is buried
   */
  Uni<Void> store(DecodedBatch batch, Map<Integer, Long> expected) {
    if (batch.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    long start = System.nanoTime();
    // Repeating is safe where it is not known whether an attempt was committed: the writer compares
    // the positions in the statement that moves them, and then says that they moved.
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

  /** Only a hint: whoever misses it finds the events. */
  private void tell(Set<String> runs) {
    if (!runs.isEmpty()) {
      rested.fire(new RunsQuiescedEvent(runs));
    }
  }

  private static boolean isRefused(Throwable failure, DecodedBatch batch) {
    return FailureTranslator.isRefused(failure) && !batch.events().isEmpty();
  }

  /** Halves the batch until the one event that Postgres refuses is alone, and buries that. */
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
   * A position is ahead of what we expect: our own commit whose answer was lost, or another
   * consumer took over. Both have stored what lies before it, so only the rest is ours.
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
                          "the position of partition %d went back from %d to %d"
                              .formatted(partition, expected.get(partition), position));
                    }
                  });
              assignments.advance(expected, actual);
              wakeups.wake(batch.runs());
              return store(batch.from(actual), actual);
            });
  }
}
