/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.protocol.topic.TopicName;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Tracks how far the liveness consumer has read each partition of the heartbeats beyond the last
 * record that it returned, that is, over transaction markers and aborted records. The log does not
 * change there, so the position stays valid when another replica takes over the partition.
 *
 * <p>Kafka instantiates the class by name, so the positions are static. Thread-safe.
 */
public final class ReadPositionInterceptor implements ConsumerInterceptor<Object, Object> {
  private static final Map<Integer, Stretch> STRETCHES = new ConcurrentHashMap<>();

  /** No committed record lies between the two offsets. */
  private record Stretch(long from, long to) {}

  /**
   * Returns the effective read position of a reader that has read every record before {@code read}.
   *
   * @return an offset, at least {@code read}, before which no further committed records are
   */
  static long over(int partition, long read) {
    Stretch stretch = STRETCHES.get(partition);
    return stretch == null || read < stretch.from() ? read : Math.max(read, stretch.to());
  }

  @Override
  public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
    records
        .nextOffsets()
        .forEach(
            (partition, next) -> {
              if (partition.topic().equals(TopicName.HEARTBEATS)) {
                note(partition.partition(), records.records(partition), next.offset());
              }
            });
    return records;
  }

  private static void note(
      int partition, List<ConsumerRecord<Object, Object>> records, long position) {
    if (!records.isEmpty()) {
      STRETCHES.put(partition, new Stretch(records.getLast().offset() + 1, position));
      return;
    }
    // A poll without records starts where the previous one ended.
    STRETCHES.computeIfPresent(
        partition, (number, before) -> new Stretch(before.from(), Math.max(before.to(), position)));
  }

  @Override
  public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

  @Override
  public void close() {}

  @Override
  public void configure(Map<String, ?> configs) {}
}
