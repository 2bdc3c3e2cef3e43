/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.protocol.topic.CommittedRecordsReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/** Opens consumers that read all partitions of a topic from now on. */
public final class TailConsumerFactory {
  private static final Duration START = Duration.ofSeconds(30);

  private TailConsumerFactory() {}

  /**
   * Returns a consumer that reads every record appended after this call.
   *
   * @param settings in addition to those that every such consumer has
   * @throws org.apache.kafka.common.KafkaException when the broker does not respond within 30 s
   */
  public static KafkaConsumer<String, byte[]> open(
      String bootstrap, String topic, Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, CommittedRecordsReader.READ_COMMITTED);
    KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(all, new StringDeserializer(), new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic, START).stream()
            .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    // Seeking is lazy: records appended from here on must be seen.
    partitions.forEach(partition -> consumer.position(partition, START));
    return consumer;
  }

  /** Returns the text of a record's last header of that name; null when it has none. */
  static @Nullable String header(ConsumerRecord<?, ?> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
  }
}
