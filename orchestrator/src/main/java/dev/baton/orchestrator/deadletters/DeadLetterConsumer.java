/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.topic.DeadLetterOrigin;
import dev.baton.protocol.topic.DeadLetterReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads ranges of offsets from the dead-letter topics. Keeps only the start of each record; the
 * client buffers at most {@value #FETCH_BYTES} bytes. For one thread.
 */
final class DeadLetterConsumer implements AutoCloseable {
  private static final Duration CALL = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final int PARTITION_BYTES = 256 * 1024;
  private static final int FETCH_BYTES = 4 * 1024 * 1024;
  private static final int AT_ONCE = 100;

  /** A dead letter with its position in the dead-letter topics. */
  record Entry(DeadLetterPosition position, DeadLetterView letter) {}

  /**
   * A range of offsets.
   *
   * @param end exclusive
   */
  record Range(long start, long end) {}

  private final Consumer<byte[], byte[]> consumer;

  DeadLetterConsumer(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.putAll(
        Map.of(
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
            false,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            // Retention may delete the start of a range while it is read.
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "earliest",
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            AT_ONCE,
            ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
            PARTITION_BYTES,
            ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
            FETCH_BYTES));
    consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /**
   * Returns the offsets before a position, by partition; partitions without any are left out. Call
   * once, before {@link #read}.
   *
   * @param after null: all offsets
   * @throws KafkaException when the brokers do not answer
   */
  Map<TopicPartition, Range> ranges(List<String> topics, @Nullable DeadLetterPosition after) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (String topic : topics) {
      for (PartitionInfo info : consumer.partitionsFor(topic, CALL)) {
        partitions.add(new TopicPartition(topic, info.partition()));
      }
    }
    // Assigned once: another assignment would keep the pauses of its partitions.
    consumer.assign(partitions);
    consumer.pause(partitions);
    Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions, CALL);
    Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions, CALL));
    if (after != null) {
      // The first offset that is newer than the position; null where there is none.
      Map<TopicPartition, OffsetAndTimestamp> newer =
          consumer.offsetsForTimes(
              partitions.stream().collect(Collectors.toMap(p -> p, _ -> after.time() + 1)), CALL);
      newer.forEach(
          (partition, offset) -> {
            if (offset != null) {
              ends.merge(partition, offset.offset(), Math::min);
            }
          });
      ends.computeIfPresent(after.partition(), (_, end) -> Math.min(end, after.offset()));
    }
    Map<TopicPartition, Range> ranges = new HashMap<>();
    ends.forEach(
        (partition, end) -> {
          long begin = begins.getOrDefault(partition, 0L);
          if (begin < end) {
            ranges.put(partition, new Range(begin, end));
          }
        });
    return ranges;
  }

  /**
   * Reads ranges completely, each in the order of its offsets, newest first.
   *
   * @param deadlineNanos as {@link System#nanoTime}
   * @throws TimeoutException at the deadline
   */
  Map<TopicPartition, Deque<Entry>> read(Map<TopicPartition, Range> ranges, long deadlineNanos) {
    Map<TopicPartition, Deque<Entry>> entries = new HashMap<>();
    ranges.forEach(
        (partition, range) -> {
          consumer.seek(partition, range.start());
          entries.put(partition, new ArrayDeque<>());
        });
    consumer.resume(ranges.keySet());
    Set<TopicPartition> open = new HashSet<>(ranges.keySet());
    while (!open.isEmpty()) {
      if (System.nanoTime() > deadlineNanos) {
        throw new TimeoutException("the dead-letter topics were not read in time");
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
        Range range = ranges.get(partition);
        Deque<Entry> found = entries.get(partition);
        if (range != null && found != null && record.offset() < range.end()) {
          found.addFirst(entry(partition, record));
        }
      }
      pauseComplete(open, ranges);
    }
    return entries;
  }

  private void pauseComplete(Set<TopicPartition> open, Map<TopicPartition, Range> ranges) {
    List<TopicPartition> complete = new ArrayList<>();
    for (TopicPartition partition : open) {
      Range range = ranges.get(partition);
      if (range == null || consumer.position(partition, CALL) >= range.end()) {
        complete.add(partition);
      }
    }
    consumer.pause(complete);
    complete.forEach(open::remove);
  }

  private static Entry entry(TopicPartition partition, ConsumerRecord<byte[], byte[]> record) {
    DeadLetterOrigin origin = DeadLetterOrigin.read(record.headers());
    byte[] value = record.value();
    DeadLetterReason reason = DeadLetterReason.of(origin.reason());
    String topic = origin.topic();
    DeadLetterView letter =
        new DeadLetterView(
            TextShortener.truncate(topic == null ? record.topic() : topic, DeadLetterView.MOST_KEY),
            origin.partition(),
            origin.offset(),
            record.key() == null
                ? null
                : TextShortener.truncate(text(record.key()), DeadLetterView.MOST_KEY),
            attribute(record.headers(), "ce_id"),
            attribute(record.headers(), "ce_type"),
            attribute(record.headers(), "ce_source"),
            Instant.ofEpochMilli(Math.max(0, record.timestamp())),
            reason.word(),
            origin.reason(),
            reason.hint(),
            value == null ? null : text(value),
            Math.max(origin.valueBytes(), value == null ? 0 : value.length));
    return new Entry(
        new DeadLetterPosition(Math.max(0, record.timestamp()), partition, record.offset()),
        letter);
  }

  private static @Nullable String attribute(Headers headers, String name) {
    Header header = headers.lastHeader(name);
    return header == null || header.value() == null
        ? null
        : TextShortener.truncate(text(header.value()), DeadLetterView.MOST_KEY);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, 0, Math.min(bytes.length, DeadLetterView.VALUE_BYTES), UTF_8);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
