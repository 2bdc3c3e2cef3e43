/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Advances positions in a topic past offsets without committed records, by reading them with its
 * own consumer. Such offsets are transaction markers and aborted records: a position stored after
 * the last committed record would otherwise never reach the log's end.
 *
 * <p>Thread-safe; each call opens a consumer, without a group, and closes it.
 */
public final class CommittedRecordsReader {
  /** The {@code isolation.level} of every Baton consumer. */
  public static final String READ_COMMITTED =
      IsolationLevel.READ_COMMITTED.toString().toLowerCase(Locale.ROOT);

  private static final Duration POLL = Duration.ofMillis(100);

  private final Map<String, Object> settings;

  /**
   * @param kafka the client's settings; at least {@code bootstrap.servers}
   */
  public CommittedRecordsReader(Map<String, ?> kafka) {
    settings = new HashMap<>(kafka);
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, READ_COMMITTED);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) POLL.toMillis());
  }

  /**
   * Returns a partition's log end offset, including uncommitted records.
   *
   * @param patience the longest this blocks
   * @return empty when the broker did not answer
   */
  public OptionalLong logEnd(TopicPartition partition, Duration patience) {
    try (Admin admin = Admin.create(admin())) {
      return OptionalLong.of(
          admin
              // Closing the client waits for the call, so the call needs the timeout too.
              .listOffsets(
                  Map.of(partition, OffsetSpec.latest()),
                  new ListOffsetsOptions().timeoutMs(Math.toIntExact(patience.toMillis())))
              .partitionResult(partition)
              .get(patience.toMillis(), TimeUnit.MILLISECONDS)
              .offset());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalLong.empty();
    } catch (ExecutionException | TimeoutException e) {
      return OptionalLong.empty();
    }
  }

  private Map<String, Object> admin() {
    Map<String, Object> known = new HashMap<>(settings);
    known.keySet().retainAll(AdminClientConfig.configNames());
    return known;
  }

  /**
   * Returns how far each partition can be advanced without skipping a committed record.
   *
   * @param from by partition, the offset that would be read next
   * @param ends by partition, where to stop; positions at or after their end are returned unchanged
   * @param patience the longest this blocks; a partition not finished by then has its value of
   *     {@code from} or an offset in between
   * @return by partition of {@code from}: the offset of the first committed record at or after
   *     {@code from}, or an offset before which there is none
   * @throws org.apache.kafka.common.KafkaException when the broker refuses
   */
  public Map<Integer, Long> skip(
      String topic, Map<Integer, Long> from, Map<Integer, Long> ends, Duration patience) {
    Map<Integer, Long> found = new HashMap<>(from);
    Map<TopicPartition, Long> open = new HashMap<>();
    from.forEach(
        (partition, position) -> {
          if (position < ends.getOrDefault(partition, 0L)) {
            open.put(new TopicPartition(topic, partition), position);
          }
        });
    if (open.isEmpty()) {
      return found;
    }
    long until = System.nanoTime() + patience.toNanos();
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    try {
      consumer.assign(open.keySet());
      open.forEach(consumer::seek);
      while (!open.isEmpty() && System.nanoTime() < until) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          TopicPartition partition = new TopicPartition(topic, record.partition());
          if (open.remove(partition) != null) {
            found.put(record.partition(), record.offset());
          }
        }
        for (TopicPartition partition : Map.copyOf(open).keySet()) {
          long position = consumer.position(partition, POLL);
          found.put(partition.partition(), position);
          if (position >= Objects.requireNonNull(ends.get(partition.partition()))) {
            open.remove(partition);
          }
        }
        consumer.assign(open.keySet());
      }
    } finally {
      consumer.close(CloseOptions.timeout(POLL));
    }
    return found;
  }
}
