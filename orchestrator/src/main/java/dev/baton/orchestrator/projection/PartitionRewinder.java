/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.protocol.topic.TopicName;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.smallrye.reactive.messaging.kafka.KafkaClientService;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jboss.logging.Logger;

/**
 * Rewinds the consumer of a partition to the position of the view. Needed when Postgres restarts
 * after a crash, or from a backup, without transactions that it had acknowledged.
 *
 * <p>Records that were polled before the seek may still arrive after it. Offsets of one poll
 * sequence only increase, so the first record that is not above all dropped ones is the first after
 * the seek. Thread-safe.
 */
@ApplicationScoped
class PartitionRewinder {
  private static final Logger LOG = Logger.getLogger(PartitionRewinder.class);
  private static final String CHANNEL = "trace";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The view is behind the polled records: these partitions must be read from its position. */
  static final class ViewBehindException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Map<Integer, Long> stored;

    ViewBehindException(Map<Integer, Long> stored) {
      super("the view is behind what was read: " + stored, null, false, false);
      this.stored = Map.copyOf(stored);
    }

    /** Returns the next offset of the view by partition. */
    Map<Integer, Long> stored() {
      return stored;
    }
  }

  /**
   * A rewind in progress: the view's position, the offset of the seek, the first record that did
   * not follow, and the highest offset dropped meanwhile.
   */
  private record Back(long stored, long target, long first, long dropped) {}

  /** Offsets between which the log contains no record. */
  private record Gap(long stored, long first) {}

  private final KafkaClientService kafka;
  private final Counter rewound;
  private final Counter gaps;
  private final Map<Integer, Back> under = new HashMap<>();
  private final Map<Integer, Gap> known = new HashMap<>();
  // The offsets without a record at the end of a partition's newest poll.
  private final Map<Integer, Gap> tails = new HashMap<>();

  PartitionRewinder(KafkaClientService kafka, MeterRegistry metrics) {
    this.kafka = kafka;
    this.rewound =
        Counter.builder("baton.projection.rewinds")
            .description("partitions that were read again because Postgres had lost their view")
            .register(metrics);
    this.gaps =
        Counter.builder("baton.projection.missing.offsets")
            .description("offsets missing in the view and no longer on the log")
            .register(metrics);
  }

  /**
   * Starts to drop records of the partition until the first one after the seek. That one shows
   * whether records were missing: transaction markers and aborted records leave the same gap.
   *
   * @param first the offset of the first record that arrived instead of {@code stored}
   * @param dropped the highest offset that was polled and is dropped
   */
  synchronized void begin(int partition, long stored, long first, long dropped) {
    Back before = under.get(partition);
    long highest = before == null ? dropped : Math.max(before.dropped(), dropped);
    under.put(partition, new Back(stored, stored, first, highest));
    tails.remove(partition);
    LOG.debugf(
        "partition %d: the view is at offset %d, records up to %d were polled: reading it again",
        partition, stored, highest);
  }

  /** Seeks on the polling thread. Removes partitions that are no longer assigned. */
  Uni<Void> seek(Map<Integer, Long> stored) {
    java.util.function.Consumer<Consumer<String, byte[]>> back =
        consumer -> stored.forEach((partition, next) -> seek(consumer, partition, next));
    return kafka
        .<String, byte[]>getConsumer(CHANNEL)
        .runOnPollingThread(back)
        .ifNoItem()
        .after(PATIENCE)
        .fail();
  }

  /** Seeks one partition. Call it on the polling thread. */
  void seek(Consumer<String, byte[]> consumer, int partition, long stored) {
    TopicPartition topicPartition = new TopicPartition(TopicName.TRACE, partition);
    if (!consumer.assignment().contains(topicPartition)) {
      forget(partition);
      return;
    }
    long begin =
        consumer
            .beginningOffsets(Set.of(topicPartition), PATIENCE)
            .getOrDefault(topicPartition, 0L);
    long target = Math.max(stored, begin);
    synchronized (this) {
      under.computeIfPresent(
          partition, (p, now) -> new Back(stored, target, now.first(), now.dropped()));
    }
    consumer.seek(topicPartition, target);
  }

  /** Returns whether to fold the record: false if it was polled before a rewind's seek. */
  synchronized boolean takes(ConsumerRecord<String, byte[]> record) {
    Back back = under.get(record.partition());
    if (back == null) {
      return true;
    }
    // If the log begins after all dropped records, compare with the offset of the seek instead.
    boolean again =
        back.target() > back.dropped()
            ? record.offset() >= back.target()
            : record.offset() <= back.dropped();
    if (!again) {
      under.put(
          record.partition(),
          new Back(
              back.stored(),
              back.target(),
              back.first(),
              Math.max(back.dropped(), record.offset())));
      return false;
    }
    under.remove(record.partition());
    if (record.offset() > back.stored()) {
      known.put(record.partition(), new Gap(back.stored(), record.offset()));
    }
    if (record.offset() < back.first()) {
      rewound.increment();
      LOG.errorf(
          "partition %d: the view was at offset %d, records up to %d were polled: reading again"
              + " from %d",
          record.partition(), back.stored(), back.dropped(), record.offset());
    }
    // Between the target and the record there are only transaction markers: nothing is lost.
    if (back.target() > back.stored()) {
      gaps.increment(back.target() - back.stored());
      LOG.errorf(
          "partition %d: the log begins at offset %d, but the view ends before offset %d: the"
              + " records in between are lost",
          record.partition(), back.target(), back.stored());
    }
    return true;
  }

  /** Returns whether the log has no record in between, so that the view continues at first. */
  synchronized boolean isKnownGap(int partition, long stored, long first) {
    return new Gap(stored, first).equals(known.get(partition));
  }

  /**
   * Records that a poll has advanced past its last record without another one.
   *
   * @param after the offset after the last record
   * @param next the consumer's position
   */
  synchronized void tail(int partition, long after, long next) {
    tails.put(partition, new Gap(after, next));
  }

  /** Returns the partition's next offset after skipping offsets known to have no record. */
  synchronized long over(int partition, long next) {
    Gap tail = tails.get(partition);
    return tail != null && tail.stored() == next ? Math.max(next, tail.first()) : next;
  }

  /** Clears the state of a partition that was revoked or assigned again. */
  synchronized void forget(int partition) {
    under.remove(partition);
    known.remove(partition);
    tails.remove(partition);
  }
}
