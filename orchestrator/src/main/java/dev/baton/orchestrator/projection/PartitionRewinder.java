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
 * Takes the reading of a partition back to where the view is. Needed when Postgres has come back
 * from a crash or a backup with less than it had acknowledged, while the consumer has read on.
 *
 * <p>What was polled before the seek may still arrive after it. It only ever rises, so the first
 * record that is not above all that was dropped is the first one after the seek. Thread-safe.
 */
@ApplicationScoped
class PartitionRewinder {
  private static final Logger LOG = Logger.getLogger(PartitionRewinder.class);
  private static final String CHANNEL = "trace";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The view is behind what has been read: these partitions must be read from there. */
  static final class ViewBehindException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Map<Integer, Long> stored;

    ViewBehindException(Map<Integer, Long> stored) {
      super("the view is behind what was read: " + stored, null, false, false);
      this.stored = Map.copyOf(stored);
    }

    /** By partition: the next offset of the view. */
    Map<Integer, Long> stored() {
      return stored;
    }
  }

  /**
   * Where a partition is taken back to, the first record that did not follow, and the highest
   * offset that was dropped meanwhile.
   */
  private record Back(long stored, long target, long first, long dropped) {}

  /** That there is nothing on the log between the two. */
  private record Gap(long stored, long first) {}

  private final KafkaClientService kafka;
  private final Counter rewound;
  private final Counter gaps;
  private final Map<Integer, Back> under = new HashMap<>();
  private final Map<Integer, Gap> known = new HashMap<>();
  // Where a partition's newest poll ended without another record.
  private final Map<Integer, Gap> tails = new HashMap<>();

  PartitionRewinder(KafkaClientService kafka, MeterRegistry metrics) {
    this.kafka = kafka;
    this.rewound =
        Counter.builder("baton.projection.rewinds")
            .description("partitions that were read again, since Postgres had lost their view")
            .register(metrics);
    this.gaps =
        Counter.builder("baton.projection.missing.offsets")
            .description("offsets that the view lacks and the log has no more")
            .register(metrics);
  }

  /**
   * From now on records of the partition count only from the seek on. Whether something was lost is
   * seen when it is read again: the markers of transactions and what was aborted leave the same
   * gap.
   *
   * @param first the offset of the first record that came instead of {@code stored}
   * @param dropped the highest offset that was polled and is thrown away
   */
  synchronized void begin(int partition, long stored, long first, long dropped) {
    Back before = under.get(partition);
    long highest = before == null ? dropped : Math.max(before.dropped(), dropped);
    under.put(partition, new Back(stored, stored, first, highest));
    tails.remove(partition);
    LOG.debugf(
        "partition %d: the view is at offset %d, up to %d was read: it is read again",
        partition, stored, highest);
  }

  /** Seeks on the polling thread; a partition that is not assigned here any more is forgotten. */
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

  /** On the polling thread. */
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

  /** Whether the record counts: not one that was polled before its partition was taken back. */
  synchronized boolean takes(ConsumerRecord<String, byte[]> record) {
    Back back = under.get(record.partition());
    if (back == null) {
      return true;
    }
    // Where the log begins above all that was dropped, there is nothing else to tell it by.
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
          "partition %d: the view was at offset %d, up to %d was read: it is read again from %d",
          record.partition(), back.stored(), back.dropped(), record.offset());
    }
    // What lies between the target and the record are marks of transactions, and no loss.
    if (back.target() > back.stored()) {
      gaps.increment(back.target() - back.stored());
      LOG.errorf(
          "partition %d: the log begins at offset %d, and the view lacks what was before from %d"
              + " on",
          record.partition(), back.target(), back.stored());
    }
    return true;
  }

  /** Whether the log was seen to have nothing in between, so that the view goes on at first. */
  synchronized boolean isKnownGap(int partition, long stored, long first) {
    return new Gap(stored, first).equals(known.get(partition));
  }

  /**
   * Notes that a poll has read on behind its last record and found no other.
   *
   * @param after the offset after the last record
   * @param next the consumer's position
   */
  synchronized void tail(int partition, long after, long next) {
    tails.put(partition, new Gap(after, next));
  }

  /** The offset with which the partition goes on, over what is known to hold no record. */
  synchronized long over(int partition, long next) {
    Gap tail = tails.get(partition);
    return tail != null && tail.stored() == next ? Math.max(next, tail.first()) : next;
  }

  /** The partition has been taken away or given anew. */
  synchronized void forget(int partition) {
    under.remove(partition);
    known.remove(partition);
    tails.remove(partition);
  }
}
