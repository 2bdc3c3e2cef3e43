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
 * Lets through what follows the stored positions without a gap. A batch that was under way when its
 * partition was taken away and given again can be dropped; the one after it must then not move the
 * position beyond what is missing.
 */
@ApplicationScoped
class OffsetGapDetector {
  private static final Logger LOG = Logger.getLogger(OffsetGapDetector.class);

  /** Less than an attempt may take, so that none goes on beside the next. */
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
   * The part of the batch that is new and leaves nothing out. What does not follow is dropped: its
   * partition is read again from where it is expected, unless it is no longer ours.
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
    // An attempt sets partitions back, and one that fails after that must not find them again as if
    // they had been read again: what was decided of a partition is decided.
    Map<Integer, Boolean> decided = new ConcurrentHashMap<>();
    return RetryForever.insist(
            "look for what is missing in the log",
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
   * @param decided which partitions' records may follow, as far as that is known; added to
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
   * On the polling thread, where partitions come and go, so that none does meanwhile.
   *
   * @param judged the position by which the records did not follow; null for none
   */
  boolean mayFollow(Consumer<?, ?> consumer, int number, long first, @Nullable Long judged) {
    TopicPartition partition = new TopicPartition(TopicName.TRACE, number);
    if (!consumer.assignment().contains(partition)) {
      return false; // whoever holds it now reads them
    }
    PartitionPosition position = assignments.of(number);
    if (position == null) {
      throw fatal.because(partition + " is read, but where it is was never found out");
    }
    long expected = position.next();
    if (judged == null || judged != expected) {
      return false; // given again meanwhile, and set to its position
    }
    long beginning =
        consumer.beginningOffsets(List.of(partition), LOOK).getOrDefault(partition, 0L);
    if (beginning > expected && first <= beginning) {
      metrics.missing(first - expected);
      LOG.errorf(
          "%s begins at offset %d, but only what lies before %d was stored: the topic's retention"
              + " was shorter than this store's outage",
          partition, beginning, expected);
      return true;
    }
    if (first == position.gap()) {
      return true; // read again, and still the first: there is no record in between
    }
    long from = Math.max(expected, beginning);
    LOG.infof("%s goes on with offset %d instead of %d: reads it again", partition, first, from);
    consumer.seek(partition, from);
    assignments.replace(number, position, position.seen(first));
    return false;
  }
}
