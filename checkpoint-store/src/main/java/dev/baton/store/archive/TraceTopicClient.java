/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.protocol.topic.CommittedRecordsReader;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import dev.baton.store.failure.StoreRequestException;
import io.smallrye.common.annotation.Identifier;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Appends archived events to the trace topic. Blocks. */
@ApplicationScoped
class TraceTopicClient {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration SKIP = Duration.ofSeconds(2);

  private final Map<String, Object> kafka;
  private final CommittedRecordsReader records;

  TraceTopicClient(@Identifier("default-kafka-broker") Map<String, Object> kafka) {
    this.kafka = kafka;
    this.records = new CommittedRecordsReader(kafka);
  }

  /**
   * Returns the current end offset of the committed records by partition; omits empty partitions.
   */
  Map<Integer, Long> ends(String topic) {
    try (Admin admin = Admin.create(new HashMap<>(kafka))) {
      TopicDescription described =
          get(admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
      List<TopicPartition> partitions =
          described.partitions().stream()
              .map(partition -> new TopicPartition(topic, partition.partition()))
              .toList();
      Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
      Map<TopicPartition, OffsetSpec> earliest = new HashMap<>();
      partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
      partitions.forEach(partition -> earliest.put(partition, OffsetSpec.earliest()));
      var last =
          get(
              admin
                  .listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                  .all());
      var first = get(admin.listOffsets(earliest).all());
      Map<Integer, Long> ends = new HashMap<>();
      last.forEach(
          (partition, end) -> {
            var begin = first.get(partition);
            if (begin == null || begin.offset() < end.offset()) {
              ends.put(partition.partition(), end.offset());
            }
          });
      return ends;
    }
  }

  /**
   * Moves positions past offsets without a committed record, like {@link
   * CommittedRecordsReader#skip}.
   *
   * @throws StoreRequestException UNAVAILABLE if the broker refuses
   */
  Map<Integer, Long> skip(String topic, Map<Integer, Long> from, Map<Integer, Long> ends) {
    try {
      return records.skip(topic, from, ends, SKIP);
    } catch (KafkaException e) {
      throw StoreRequestException.unavailable("Kafka did not answer: " + e);
    }
  }

  private static <T> T get(org.apache.kafka.common.@Nullable KafkaFuture<T> future) {
    if (future == null) {
      throw StoreRequestException.unavailable("Kafka does not have the trace topic");
    }
    try {
      return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw StoreRequestException.unavailable("interrupted");
    } catch (ExecutionException | TimeoutException e) {
      throw StoreRequestException.unavailable("Kafka did not answer: " + e);
    }
  }

  Session open() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 16L << 20);
    settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 4 << 20);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE.toMillis());
    return new Session(
        new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer()));
  }

  /** Appends records in order. Not thread-safe. */
  static final class Session implements AutoCloseable {
    private final KafkaProducer<String, byte[]> producer;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    private Session(KafkaProducer<String, byte[]> producer) {
      this.producer = producer;
    }

    /** Chooses the home partition of a run that is not on the log. */
    int newHome(String run) {
      return HomePartitioner.choose(run, producer.partitionsFor(TopicName.TRACE).size());
    }

    void append(ProducerRecord<String, byte[]> record) {
      check();
      producer.send(
          record,
          (done, error) -> {
            if (error != null) {
              failure.compareAndSet(null, error);
            }
          });
    }

    /** Waits until all records are acknowledged. */
    void flush() {
      producer.flush();
      check();
    }

    private void check() {
      Exception error = failure.get();
      if (error != null) {
        throw StoreRequestException.unavailable("Kafka did not take an event: " + error);
      }
    }

    @Override
    public void close() {
      producer.close(PATIENCE);
    }
  }
}
