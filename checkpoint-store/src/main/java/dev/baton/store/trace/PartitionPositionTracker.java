/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.topic.CommittedRecordsReader;
import dev.baton.protocol.topic.TopicName;
import dev.baton.store.failure.FailureTranslator;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.reactive.messaging.kafka.KafkaConsumerRebalanceListener;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the assigned partitions and the position in each. On an assignment, reads the positions
 * from Postgres and seeks to them on the polling thread, before any record is polled.
 *
 * <p>Thread-safe: the polling thread assigns partitions, the batch processing advances positions.
 */
@ApplicationScoped
@Identifier("trace-positions")
class PartitionPositionTracker implements KafkaConsumerRebalanceListener {
  private static final Logger LOG = Logger.getLogger(PartitionPositionTracker.class);

  /** Less than max.poll.interval.ms (5 min), after which the group removes this consumer. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private static final Duration ASK = Duration.ofSeconds(10);

  private final PositionStore store;
  private final FatalErrorHandler fatal;
  private final CommittedRecordsReader records;
  private final Map<Integer, PartitionPosition> held = new ConcurrentHashMap<>();

  PartitionPositionTracker(
      PositionStore store,
      FatalErrorHandler fatal,
      @Identifier("default-kafka-broker") Map<String, Object> kafka) {
    this.records = new CommittedRecordsReader(kafka);
    this.store = store;
    this.fatal = fatal;
  }

  /**
   * Exits the process on a failure. Otherwise the partitions would stay assigned without a
   * position, and their records would be dropped.
   */
  @Override
  public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return;
    }
    try {
      begin(consumer, partitions);
    } catch (FatalErrorHandler.ProcessEndingException e) {
      throw e;
    } catch (RuntimeException e) {
      throw fatal.because("cannot start reading " + partitions + ": " + FailureTranslator.words(e));
    }
    LOG.infof("reading %d partitions of %s", held.size(), TopicName.TRACE);
  }

  private void begin(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    Map<Integer, Long> positions = read(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    for (TopicPartition partition : partitions) {
      long position = positions.getOrDefault(partition.partition(), 0L);
      long end = ends.getOrDefault(partition, 0L);
      // For the consumer a partition ends at the first open transaction. An earlier version read
      // uncommitted records and may have stored a position after that.
      if (position > end) {
        end = records.logEnd(partition, ASK).orElse(end);
      }
      if (position > end) {
        throw fatal.because(
            "Postgres has stored %s up to offset %d, but the log ends at %d: it is not the log"
                    .formatted(partition, position, end)
                + " that was stored. Restore the store's own log, or use an empty schema.");
      }
      consumer.seek(partition, position);
      held.put(partition.partition(), PartitionPosition.at(position));
    }
  }

  private Map<Integer, Long> read(Collection<TopicPartition> partitions) {
    List<Integer> numbers = partitions.stream().map(TopicPartition::partition).toList();
    try {
      return store
          .read(numbers)
          .ifNoItem()
          .after(Duration.ofSeconds(10))
          .fail()
          .onFailure()
          .invoke(e -> LOG.warnf("cannot read positions, retrying: %s", FailureTranslator.words(e)))
          .onFailure()
          .retry()
          .withBackOff(Duration.ofMillis(100), Duration.ofSeconds(2))
          .expireIn(PATIENCE.toMillis())
          .await()
          .indefinitely();
    } catch (RuntimeException e) {
      throw fatal.because("cannot read positions from Postgres: " + FailureTranslator.words(e));
    }
  }

  @Override
  public void onPartitionsRevoked(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    partitions.forEach(partition -> held.remove(partition.partition()));
  }

  /** Returns the next offset of each partition that is assigned now. */
  Map<Integer, Long> expected() {
    Map<Integer, Long> expected = new HashMap<>();
    held.forEach((partition, position) -> expected.put(partition, position.next()));
    return expected;
  }

  @Nullable PartitionPosition of(int partition) {
    return held.get(partition);
  }

  /** Replaces a position unless the partition was revoked, or its position changed, meanwhile. */
  void replace(int partition, PartitionPosition before, PartitionPosition after) {
    held.replace(partition, before, after);
  }

  /** Advances the positions after a batch, except of partitions revoked or reassigned meanwhile. */
  void advance(Map<Integer, Long> from, Map<Integer, Long> to) {
    to.forEach(
        (partition, next) -> {
          Long before = from.get(partition);
          held.computeIfPresent(
              partition,
              (number, now) ->
                  before != null && now.next() == before ? PartitionPosition.at(next) : now);
        });
  }
}
