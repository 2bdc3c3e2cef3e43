/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.ConfigProvider;

/** Produces to Kafka as other services do, and reads topics. */
public final class KafkaTestClient implements AutoCloseable {
  private final String servers =
      ConfigProvider.getConfig().getValue("kafka.bootstrap.servers", String.class);
  private final KafkaProducer<String, byte[]> producer =
      new KafkaProducer<>(
          Map.of(
              "bootstrap.servers",
              servers,
              "acks",
              "all",
              "linger.ms",
              1,
              "delivery.timeout.ms",
              60000,
              "max.request.size",
              2_000_000),
          new StringSerializer(),
          new ByteArraySerializer());

  /** Returns once all records are acknowledged. */
  @SafeVarargs
  public final List<RecordMetadata> send(ProducerRecord<String, byte[]>... records) {
    return send(List.of(records));
  }

  /** Returns once all records are acknowledged. */
  public List<RecordMetadata> send(List<ProducerRecord<String, byte[]>> records) {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    records.forEach(record -> sent.add(producer.send(record)));
    List<RecordMetadata> acknowledged = new ArrayList<>();
    for (Future<RecordMetadata> future : sent) {
      try {
        acknowledged.add(future.get());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      }
    }
    return acknowledged;
  }

  /** Reads a topic from its beginning until a record matches, for at most 20 s. */
  public ConsumerRecord<byte[], byte[]> find(
      String topic, java.util.function.Predicate<ConsumerRecord<byte[], byte[]>> wanted) {
    try (var consumer =
        new KafkaConsumer<>(
            Map.<String, Object>of(
                "bootstrap.servers",
                servers,
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      while (System.nanoTime() < deadline) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          if (wanted.test(record)) {
            return record;
          }
        }
      }
      throw new AssertionError("no such record in " + topic);
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
