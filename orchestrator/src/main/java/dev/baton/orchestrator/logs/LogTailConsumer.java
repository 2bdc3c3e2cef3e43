/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads the live tail of one run's log with its own consumer, from the partition of each size that
 * the topic has had: a runner keeps the partition that it chose first. For one thread.
 *
 * @see TopicName#LOGS
 */
final class LogTailConsumer implements AutoCloseable {
  private static final Duration METADATA = Duration.ofSeconds(5);
  private static final int AT_ONCE = 1_000;

  /** The longest time in which lines are held back: other partitions may never be at their end. */
  private static final Duration HOLD = Duration.ofSeconds(2);

  private final String run;
  private final Instant from;
  private final Supplier<Set<Integer>> candidates;
  private final Consumer<String, byte[]> consumer;

  /** Lines that were received and are held back; their partitions are paused. */
  private final Map<TopicPartition, Deque<LogLineView>> unread = new HashMap<>();

  /** The newest epoch whose lines were returned, by partition. */
  private final Map<TopicPartition, Integer> newest = new HashMap<>();

  /** Since when lines are held back; 0 when none are. */
  private long heldNanos;

  /**
   * Starts with the lines that were sent at this time.
   *
   * @param candidates returns the partitions in which lines of the run may be; called with each
   *     poll, since the topic may grow
   * @throws org.apache.kafka.common.KafkaException when the brokers do not answer
   */
  LogTailConsumer(
      Map<String, Object> kafka, String run, Instant from, Supplier<Set<Integer>> candidates) {
    this.run = run;
    this.from = from;
    this.candidates = candidates;
    consumer = consumer(kafka);
    try {
      readNew();
    } catch (RuntimeException e) {
      consumer.close();
      throw e;
    }
  }

  /** Adds the partitions that are not read yet, of those that the topic has. */
  private void readNew() {
    int present = consumer.partitionsFor(TopicName.LOGS, METADATA).size();
    Set<TopicPartition> all = new HashSet<>(consumer.assignment());
    Map<TopicPartition, Long> added = new HashMap<>();
    Set<Integer> wanted = new HashSet<>(candidates.get());
    wanted.add(HomePartitioner.choose(run, present));
    for (int partition : wanted) {
      TopicPartition next = new TopicPartition(TopicName.LOGS, partition);
      if (partition < present && all.add(next)) {
        added.put(next, from.toEpochMilli());
      }
    }
    if (added.isEmpty()) {
      return;
    }
    consumer.assign(all);
    // The ends first: a line that arrives in between is after them, and must not be skipped.
    Map<TopicPartition, Long> ends = consumer.endOffsets(added.keySet(), METADATA);
    Map<TopicPartition, OffsetAndTimestamp> first = consumer.offsetsForTimes(added, METADATA);
    ends.forEach(
        (partition, end) -> {
          OffsetAndTimestamp offset = first.get(partition);
          consumer.seek(partition, offset == null ? end : offset.offset());
        });
  }

  /**
   * Returns the next lines of the run that arrive within this time, in the order of the epochs:
   * lines of a later epoch are held back while another partition may still have earlier ones.
   */
  List<LogLineView> poll(Duration patience) {
    readNew();
    for (ConsumerRecord<String, byte[]> record : consumer.poll(patience)) {
      if (run.equals(record.key()) && record.value() != null) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        unread.computeIfAbsent(partition, _ -> new ArrayDeque<>()).add(line(record.value()));
      }
    }
    List<LogLineView> lines = takeInOrder();
    Set<TopicPartition> held = unread.keySet();
    consumer.pause(held);
    consumer.resume(
        consumer.assignment().stream().filter(partition -> !held.contains(partition)).toList());
    return lines;
  }

  private List<LogLineView> takeInOrder() {
    boolean isOverdue = heldNanos != 0 && System.nanoTime() - heldNanos > HOLD.toNanos();
    List<LogLineView> lines = new ArrayList<>();
    while (!unread.isEmpty()) {
      Map.Entry<TopicPartition, Deque<LogLineView>> first =
          Collections.min(
              unread.entrySet(),
              Comparator.comparingInt(queue -> queue.getValue().element().epoch()));
      int epoch = first.getValue().element().epoch();
      if (!isOverdue && mayHaveEarlier(epoch)) {
        heldNanos = heldNanos == 0 ? System.nanoTime() : heldNanos;
        return lines;
      }
      Deque<LogLineView> queue = first.getValue();
      while (!queue.isEmpty() && queue.element().epoch() <= epoch) {
        lines.add(queue.remove());
      }
      newest.merge(first.getKey(), epoch, Math::max);
      if (queue.isEmpty()) {
        unread.remove(first.getKey());
      }
    }
    heldNanos = 0;
    return lines;
  }

  /** Whether a partition that is not read to its end may have lines of an earlier epoch. */
  private boolean mayHaveEarlier(int epoch) {
    return consumer.assignment().stream()
        .filter(partition -> !unread.containsKey(partition))
        .filter(partition -> newest.getOrDefault(partition, 0) < epoch)
        .anyMatch(partition -> consumer.currentLag(partition).orElse(1) > 0);
  }

  private static LogLineView line(byte[] value) {
    try {
      return Json.mapper().readValue(value, LogLineView.class);
    } catch (IOException notALine) {
      return LogLineView.notice(0, 0, "a record of " + TopicName.LOGS + " cannot be read", null);
    }
  }

  /** The end offsets now. */
  Map<TopicPartition, Long> ends() {
    return consumer.endOffsets(consumer.assignment(), METADATA);
  }

  boolean isAt(Map<TopicPartition, Long> ends) {
    return unread.isEmpty()
        && ends.entrySet().stream()
            .allMatch(end -> consumer.position(end.getKey(), METADATA) >= end.getValue());
  }

  private static Consumer<String, byte[]> consumer(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.putAll(
        Map.of(
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            AT_ONCE,
            ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
            1024 * 1024,
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
            200,
            ConsumerConfig.METADATA_MAX_AGE_CONFIG,
            5_000));
    return new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
