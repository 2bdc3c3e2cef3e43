/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Applies a batch. Retries during an outage, continues after a commit whose response was lost, and
 * bisects a batch with a record that the database refuses.
 */
final class BatchApplier {
  private final BatchHandler handler;
  private final PositionStore positions;
  private final DeadLetterHandler deadLetters;
  private final PartitionPositionTracker tracker;
  private final OffsetGapDetector gaps;

  BatchApplier(
      BatchHandler handler,
      PositionStore positions,
      DeadLetterHandler deadLetters,
      PartitionPositionTracker tracker,
      OffsetGapDetector gaps) {
    this.handler = handler;
    this.positions = positions;
    this.deadLetters = deadLetters;
    this.tracker = tracker;
    this.gaps = gaps;
  }

  /** Sends the records to the dead letters, in order. */
  Uni<Void> publish(List<PoisonRecord> poison) {
    return Multi.createFrom()
        .iterable(poison)
        .onItem()
        .transformToUniAndConcatenate(
            one ->
                RetryForever.retry(
                    "send a record to the dead letters", () -> deadLetters.publish(one)))
        .collect()
        .last()
        .replaceWithVoid();
  }

  /**
   * Applies the records and advances the positions.
   *
   * @param batch continues at the expected positions; its poison is already published
   */
  Uni<Void> apply(SinkBatch batch, Map<Integer, Long> expected) {
    if (batch.spans().isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    // A retry is safe even if an earlier attempt was committed: the handler advances the positions
    // by compare-and-set, and the outcome is then MOVED.
    return RetryForever.retry(
            "apply " + batch.records().size() + " records",
            () -> handler.apply(batch, expected),
            failure -> !isRefused(failure, batch))
        .chain(
            outcome ->
                switch (outcome) {
                  case APPLIED -> {
                    tracker.advance(expected, batch.next());
                    yield Uni.createFrom().voidItem();
                  }
                  case MOVED -> reconcile(batch, expected);
                })
        .onFailure(failure -> isRefused(failure, batch))
        .recoverWithUni(refusal -> bisect(batch, expected, refusal));
  }

  private boolean isRefused(Throwable failure, SinkBatch batch) {
    return !batch.records().isEmpty() && handler.isRefused(failure);
  }

  /** Bisects the batch to the record that the database refuses, and buries that. */
  private Uni<Void> bisect(SinkBatch batch, Map<Integer, Long> expected, Throwable refusal) {
    int records = batch.records().size();
    if (records == 1) {
      SinkRecord culprit = batch.records().getFirst();
      String reason = culprit.id() + " was refused by Postgres: " + RetryForever.words(refusal);
      return publish(
              List.of(new PoisonRecord(culprit.record(), PoisonRecord.Kind.UNWRITABLE, reason)))
          .chain(() -> apply(batch.withoutRecords(), expected));
    }
    SinkBatch head = batch.head(records / 2);
    Map<Integer, Long> between = new HashMap<>(expected);
    between.putAll(head.next());
    return apply(head, expected).chain(() -> apply(batch.from(between), between));
  }

  /**
   * Continues at the stored positions. One that is ahead of the expected position means that the
   * response of our own commit was lost, or that another consumer took over: only the rest of the
   * batch remains. One that is behind means that the database has lost commits: the partition is
   * read again from there.
   */
  private Uni<Void> reconcile(SinkBatch batch, Map<Integer, Long> expected) {
    return RetryForever.retry("read the positions", () -> positions.read(batch.spans().keySet()))
        .chain(
            actual -> {
              actual.forEach(
                  (partition, stored) -> {
                    long before = expected.getOrDefault(partition, 0L);
                    if (stored < before) {
                      positions.decreased(partition, before, stored);
                    }
                  });
              tracker.advance(expected, actual);
              return gaps.following(batch, actual).chain(rest -> apply(rest, actual));
            });
  }
}
