/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.topic.TopicName;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Filters batches to the records that follow the positions without a gap. A batch in flight while
 * its partition is revoked and assigned again can be dropped, and a database can lose transactions;
 * the next batch must then not advance the position past the missing records.
 */
final class OffsetGapDetector {
  private static final Logger LOG = LoggerFactory.getLogger(OffsetGapDetector.class);

  /** Shorter than the timeout of an attempt, so that attempts do not overlap. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private final PollingThread polling;
  private final PartitionPositionTracker tracker;
  private final PositionStore positions;
  private final FatalErrorHandler fatal;

  OffsetGapDetector(
      PollingThread polling,
      PartitionPositionTracker tracker,
      PositionStore positions,
      FatalErrorHandler fatal) {
    this.polling = polling;
    this.tracker = tracker;
    this.positions = positions;
    this.fatal = fatal;
  }

  /**
   * Reads the positions that could not be read on assignment. Returns the batch without their
   * partitions, which are polled again from their positions.
   */
  Uni<SinkBatch> withPositions(SinkBatch batch) {
    if (batch.spans().keySet().stream().noneMatch(tracker::isUnread)) {
      return Uni.createFrom().item(batch);
    }
    return RetryForever.retry("read the positions", () -> polling.run(tracker::beginLate))
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(
            late -> {
              Map<Integer, Long> others = batch.first();
              others.keySet().removeAll(late);
              return batch.from(others);
            });
  }

  /**
   * Returns the new part of the batch without the partitions that do not continue at the expected
   * offset. The consumer reads such a partition again from the expected offset, if it is still
   * assigned.
   */
  Uni<SinkBatch> following(SinkBatch batch, Map<Integer, Long> expected) {
    Map<Integer, Long> astray = new HashMap<>();
    batch
        .first()
        .forEach(
            (partition, first) -> {
              if (first > expected.getOrDefault(partition, -1L)) {
                astray.put(partition, first);
              }
            });
    if (astray.isEmpty()) {
      return Uni.createFrom().item(batch.from(expected));
    }
    // An attempt that seeks and then fails is repeated. The repetition must not mistake the batch
    // for the records after the seek, so it reuses the decisions that were already taken.
    Map<Integer, Boolean> decided = new ConcurrentHashMap<>();
    return RetryForever.retry(
            "search the log for missing records",
            () -> polling.run(consumer -> dropped(consumer, astray, expected, decided)))
        .emitOn(Infrastructure.getDefaultExecutor())
        .map(
            dropped -> {
              Map<Integer, Long> rest = new HashMap<>(expected);
              rest.keySet().removeAll(dropped);
              return batch.from(rest);
            });
  }

  /**
   * Returns the partitions whose records must be dropped.
   *
   * @param decided by partition, whether its records may be applied; decisions are added
   */
  Set<Integer> dropped(
      Consumer<?, ?> consumer,
      Map<Integer, Long> astray,
      Map<Integer, Long> expected,
      Map<Integer, Boolean> decided) {
    Set<Integer> dropped = new HashSet<>();
    astray.forEach(
        (partition, first) -> {
          if (!decided.computeIfAbsent(
              partition, number -> mayFollow(consumer, number, first, expected.get(number)))) {
            dropped.add(partition);
          }
        });
    return dropped;
  }

  /**
   * Returns whether the records from {@code first} may be applied although they leave a gap. Runs
   * on the polling thread, so that no partition is revoked or assigned during it.
   *
   * @param judged the position for which the gap was detected; null for none
   */
  boolean mayFollow(Consumer<?, ?> consumer, int number, long first, @Nullable Long judged) {
    TopicPartition partition = new TopicPartition(TopicName.TRACE, number);
    if (!consumer.assignment().contains(partition) || tracker.isUnread(number)) {
      return false; // they are read by the consumer that has the partition now, or from its
      // position
    }
    PartitionPosition position = tracker.of(number);
    if (position == null) {
      throw fatal.because(partition + ": assigned, but its position was never read");
    }
    long expected = position.next();
    if (judged == null || judged != expected) {
      return false; // assigned again, and set to its position
    }
    long beginning =
        consumer.beginningOffsets(List.of(partition), LOOK).getOrDefault(partition, 0L);
    if (beginning > expected && first <= beginning) {
      positions.missing(first - expected);
      LOG.error(
          "{}: begins at offset {}, but only records before {} were applied: the topic's retention"
              + " was shorter than the outage",
          partition,
          beginning,
          expected);
      return true;
    }
    if (first == position.gap()) {
      return true; // still the first record after reading again: nothing is in between
    }
    long from = Math.max(expected, beginning);
    LOG.info("{}: got offset {} instead of {}, reading it again", partition, first, from);
    consumer.seek(partition, from);
    tracker.replace(number, position, position.seen(first));
    return false;
  }
}
