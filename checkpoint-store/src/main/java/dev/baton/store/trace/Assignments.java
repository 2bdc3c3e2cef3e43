/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.topic.Topics;
import dev.baton.store.failure.Problems;
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

/**
 * Which partitions this consumer holds and where in each it is. At an assignment the positions are
 * read from Postgres and the consumer is set to them, on the polling thread, so that no record is
 * seen before.
 *
 * <p>Thread-safe: the polling thread assigns, the consumer's processing advances.
 */
@ApplicationScoped
@Identifier("trace-positions")
class Assignments implements KafkaConsumerRebalanceListener {
  private static final Logger LOG = Logger.getLogger(Assignments.class);

  /** Less than max.poll.interval.ms (5 min), after which the group would take us for dead. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private final PositionStore store;
  private final Fatal fatal;
  private final Map<Integer, Long> expected = new ConcurrentHashMap<>();

  Assignments(PositionStore store, Fatal fatal) {
    this.store = store;
    this.fatal = fatal;
  }

  @Override
  public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return;
    }
    Map<Integer, Long> positions = read(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    for (TopicPartition partition : partitions) {
      long position = positions.getOrDefault(partition.partition(), 0L);
      long end = ends.getOrDefault(partition, 0L);
      if (position > end) {
        throw fatal.because(
            "Postgres has stored %s up to offset %d, but the log ends at %d: this is not the log"
                    .formatted(partition, position, end)
                + " that was stored. Give the store its own log back, or an empty schema.");
      }
      consumer.seek(partition, position);
      expected.put(partition.partition(), position);
    }
    LOG.infof("reads %d partitions of %s", expected.size(), Topics.TRACE);
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
          .invoke(e -> LOG.warnf("cannot read the positions: %s", Problems.words(e)))
          .onFailure()
          .retry()
          .withBackOff(Duration.ofMillis(100), Duration.ofSeconds(2))
          .expireIn(PATIENCE.toMillis())
          .await()
          .indefinitely();
    } catch (RuntimeException e) {
      throw fatal.because("Postgres did not give the positions: " + Problems.words(e));
    }
  }

  @Override
  public void onPartitionsRevoked(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    partitions.forEach(partition -> expected.remove(partition.partition()));
  }

  @Override
  public void onPartitionsLost(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
    onPartitionsRevoked(consumer, partitions);
  }

  /** The positions of the partitions that this consumer holds now. */
  Map<Integer, Long> expected() {
    return new HashMap<>(expected);
  }

  /** After a batch: unless the partition was taken away, or given again, meanwhile. */
  void advance(Map<Integer, Long> from, Map<Integer, Long> to) {
    to.forEach(
        (partition, next) -> {
          Long before = from.get(partition);
          if (before != null) {
            expected.replace(partition, before, next);
          }
        });
  }
}
