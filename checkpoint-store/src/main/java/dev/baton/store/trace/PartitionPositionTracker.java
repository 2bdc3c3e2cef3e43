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
 * Which partitions this consumer holds and where in each it is. At an assignment the positions are
 * read from Postgres and the consumer is set to them, on the polling thread, so that no record is
 * seen before.
 *
 * <p>Thread-safe: the polling thread assigns, the consumer's processing advances.
 */
@ApplicationScoped
@Identifier("trace-positions")
class PartitionPositionTracker implements KafkaConsumerRebalanceListener {
  private static final Logger LOG = Logger.getLogger(PartitionPositionTracker.class);

  /** Less than max.poll.interval.ms (5 min), after which the group would take us for dead. */
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
   * Ends the process when it fails: the partitions would stay assigned and be read without a
   * position, that is, dropped.
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
      throw fatal.because("cannot begin to read " + partitions + ": " + FailureTranslator.words(e));
    }
    LOG.infof("reads %d partitions of %s", held.size(), TopicName.TRACE);
  }

  private void begin(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    Map<Integer, Long> positions = read(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    for (TopicPartition partition : partitions) {
      long position = positions.getOrDefault(partition.partition(), 0L);
      long end = ends.getOrDefault(partition, 0L);
      // The consumer takes the beginning of an open transaction for the end. An earlier version,
      // which read what was not committed, may have stored what lies behind it.
      if (position > end) {
        end = records.logEnd(partition, ASK).orElse(end);
      }
      if (position > end) {
        throw fatal.because(
            "Postgres has stored %s up to offset %d, but the log ends at %d: this is not the log"
                    .formatted(partition, position, end)
                + " that was stored. Give the store its own log back, or an empty schema.");
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
          .invoke(e -> LOG.warnf("cannot read the positions: %s", FailureTranslator.words(e)))
          .onFailure()
          .retry()
          .withBackOff(Duration.ofMillis(100), Duration.ofSeconds(2))
          .expireIn(PATIENCE.toMillis())
          .await()
          .indefinitely();
    } catch (RuntimeException e) {
      throw fatal.because("Postgres did not give the positions: " + FailureTranslator.words(e));
    }
  }

  @Override
  public void onPartitionsRevoked(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    partitions.forEach(partition -> held.remove(partition.partition()));
  }

  /** The next offset of each partition that this consumer holds now. */
  Map<Integer, Long> expected() {
    Map<Integer, Long> expected = new HashMap<>();
    held.forEach((partition, position) -> expected.put(partition, position.next()));
    return expected;
  }

  @Nullable PartitionPosition of(int partition) {
    return held.get(partition);
  }

  /** Unless the partition was taken away, or has moved, meanwhile. */
  void replace(int partition, PartitionPosition before, PartitionPosition after) {
    held.replace(partition, before, after);
  }

  /** After a batch: unless the partition was taken away, or given again, meanwhile. */
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
