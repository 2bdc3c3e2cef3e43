/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.topic.TopicName;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Filters batches to the records that follow the stored positions without a gap. A batch in flight
 * while its partition is revoked and assigned again can be dropped; the next batch must then not
 * advance the position past the missing records.
 */
@ApplicationScoped
class OffsetGapDetector {
  private static final Logger LOG = Logger.getLogger(OffsetGapDetector.class);

  /** Shorter than the timeout of an attempt, so that attempts do not overlap. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private final KafkaClientService kafka;
  private final PartitionPositionTracker assignments;
  private final TraceMetrics metrics;
  private final FatalErrorHandler fatal;

  OffsetGapDetector(
      KafkaClientService kafka,
      @Identifier("trace-positions") PartitionPositionTracker assignments,
      TraceMetrics metrics,
      FatalErrorHandler fatal) {
    this.kafka = kafka;
    this.assignments = assignments;
    this.metrics = metrics;
    this.fatal = fatal;
  }

  /**
   * Returns the new part of the batch without the partitions that do not continue at the expected
   * offset. The consumer reads such a partition again from the expected offset, if it is still
   * assigned.
   */
  Uni<DecodedBatch> following(DecodedBatch batch, Map<Integer, Long> expected) {
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
    return RetryForever.insist(
            "search the log for missing records",
            Uni.createFrom()
                .deferred(
                    () ->
                        kafka
                            .<byte[], byte[]>getConsumer("trace")
                            .runOnPollingThread(
                                (Consumer<byte[], byte[]> consumer) -> {
                                  return dropped(consumer, astray, expected, decided);
                                })))
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
   * @param decided by partition, whether its records may be stored; decisions are added
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
   * Returns whether the records from {@code first} may be stored although they leave a gap. Runs on
   * the polling thread, so that no partition is revoked or assigned meanwhile.
   *
   * @param judged the position for which the gap was detected; null for none
   */
  boolean mayFollow(Consumer<?, ?> consumer, int number, long first, @Nullable Long judged) {
    TopicPartition partition = new TopicPartition(TopicName.TRACE, number);
    if (!consumer.assignment().contains(partition)) {
      return false; // the consumer that has the partition now reads them
    }
    PartitionPosition position = assignments.of(number);
    if (position == null) {
      throw fatal.because(partition + ": assigned, but its position was never read");
    }
    long expected = position.next();
    if (judged == null || judged != expected) {
      return false; // assigned again meanwhile, and set to its position
    }
    long beginning =
        consumer.beginningOffsets(List.of(partition), LOOK).getOrDefault(partition, 0L);
    if (beginning > expected && first <= beginning) {
      metrics.missing(first - expected);
      LOG.errorf(
          "%s: begins at offset %d, but only records before %d were stored: the topic's retention"
              + " was shorter than this store's outage",
          partition, beginning, expected);
      return true;
    }
    if (first == position.gap()) {
      return true; // still the first record after reading again: nothing is in between
    }
    long from = Math.max(expected, beginning);
    LOG.infof("%s: got offset %d instead of %d, reading it again", partition, first, from);
    consumer.seek(partition, from);
    assignments.replace(number, position, position.seen(first));
    return false;
  }
}
