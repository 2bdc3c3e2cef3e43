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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads the live tail of one run's log with its own consumer. For one thread.
 *
 * @see TopicName#LOGS
 */
final class LogTailConsumer implements AutoCloseable {
  private static final Duration METADATA = Duration.ofSeconds(5);
  private static final int AT_ONCE = 1_000;

  private final String run;
  private final Consumer<String, byte[]> consumer;
  private final TopicPartition partition;

  /**
   * Starts with the lines that were sent at this time.
   *
   * @throws org.apache.kafka.common.KafkaException when the brokers do not answer
   */
  LogTailConsumer(String bootstrap, String run, Instant from) {
    this.run = run;
    consumer = consumer(bootstrap);
    try {
      int partitions = consumer.partitionsFor(TopicName.LOGS, METADATA).size();
      partition = new TopicPartition(TopicName.LOGS, HomePartitioner.choose(run, partitions));
      consumer.assign(List.of(partition));
      OffsetAndTimestamp first =
          consumer.offsetsForTimes(Map.of(partition, from.toEpochMilli()), METADATA).get(partition);
      if (first == null) {
        consumer.seekToEnd(List.of(partition));
      } else {
        consumer.seek(partition, first.offset());
      }
    } catch (RuntimeException e) {
      consumer.close();
      throw e;
    }
  }

  /** Returns the next lines of the run that arrive within this time. */
  List<LogLineView> poll(Duration patience) {
    List<LogLineView> lines = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : consumer.poll(patience)) {
      if (run.equals(record.key()) && record.value() != null) {
        lines.add(line(record.value()));
      }
    }
    return lines;
  }

  private static LogLineView line(byte[] value) {
    try {
      return Json.mapper().readValue(value, LogLineView.class);
    } catch (IOException notALine) {
      return LogLineView.notice(0, 0, "a record of " + TopicName.LOGS + " cannot be read", null);
    }
  }

  /** The end offset now. */
  long end() {
    return consumer.endOffsets(List.of(partition), METADATA).getOrDefault(partition, 0L);
  }

  boolean isAt(long end) {
    return consumer.position(partition, METADATA) >= end;
  }

  private static Consumer<String, byte[]> consumer(String bootstrap) {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrap,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            AT_ONCE,
            ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
            1024 * 1024,
            ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
            200),
        new StringDeserializer(),
        new ByteArrayDeserializer());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
