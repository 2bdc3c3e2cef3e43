/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.workload;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.chaos.fault.TraceRecordResender;
import dev.baton.chaos.history.ChaosHistoryStore;
import dev.baton.chaos.history.LoggedRecord;
import dev.baton.chaos.history.ObservedRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Reads the trace topic continuously, records when it saw each record, and delivers some records
 * again on request. Uses no consumer group, so it affects no other consumer. Thread-safe.
 */
public final class TraceReader implements AutoCloseable, TraceRecordResender {
  private static final String TOPIC = "baton.trace";
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration READ_WITHIN = Duration.ofMinutes(2);
  private static final int MOST_RESENT = 12;
  private static final int NEWEST_RUNS = 16;
  private static final int SEND_MS = 10_000;

  private final String bootstrap;
  private final LongSupplier clock;
  private final KafkaProducer<byte[], byte[]> producer;
  private final ConcurrentLinkedQueue<ObservedRecord> seen = new ConcurrentLinkedQueue<>();
  private final Map<String, List<ConsumerRecord<byte[], byte[]>>> byRun = new ConcurrentHashMap<>();
  private final List<String> runs = Collections.synchronizedList(new ArrayList<>());
  private final Thread thread;
  private volatile boolean closed;

  /**
   * @param clock milliseconds since the start of the history
   */
  public TraceReader(String bootstrap, LongSupplier clock) {
    this.bootstrap = bootstrap;
    this.clock = clock;
    Properties settings = new Properties();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("acks", "all");
    settings.put("delivery.timeout.ms", SEND_MS);
    settings.put("request.timeout.ms", SEND_MS / 2);
    settings.put("max.block.ms", SEND_MS);
    producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    thread = Thread.ofPlatform().daemon().name("trace-reader").start(this::follow);
  }

  /** Returns the records seen so far, in that order. */
  public List<ObservedRecord> seen() {
    return List.copyOf(seen);
  }

  private void follow() {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      long lookAt = System.nanoTime();
      while (!closed) {
        if (System.nanoTime() >= lookAt) {
          addPartitions(consumer);
          lookAt = System.nanoTime() + LOOK.toNanos();
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          long now = clock.getAsLong();
          parse(record).ifPresent(logged -> note(logged, record, now));
        }
      }
    }
  }

  private void note(LoggedRecord logged, ConsumerRecord<byte[], byte[]> record, long now) {
    seen.add(new ObservedRecord(logged.partition(), logged.offset(), logged.id(), now));
    byRun
        .computeIfAbsent(
            logged.run(),
            run -> {
              runs.add(run);
              return Collections.synchronizedList(new ArrayList<>());
            })
        .add(record);
  }

  /**
   * Reads the topic from its beginning to its present end.
   *
   * @throws IOException when it could not be read within two minutes
   */
  public List<LoggedRecord> readWhole() throws IOException {
    List<LoggedRecord> all = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      List<TopicPartition> partitions = partitions(consumer);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      long until = System.nanoTime() + READ_WITHIN.toNanos();
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        if (System.nanoTime() > until) {
          throw new IOException(TOPIC + " could not be read completely within " + READ_WITHIN);
        }
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          parse(record).ifPresent(all::add);
        }
      }
    } catch (KafkaException e) {
      throw new IOException(TOPIC + " could not be read completely: " + e.getMessage(), e);
    }
    return all;
  }

  @Override
  public String resend(Random random) throws IOException, InterruptedException {
    List<String> newest;
    synchronized (runs) {
      newest = List.copyOf(runs.subList(Math.max(0, runs.size() - NEWEST_RUNS), runs.size()));
    }
    if (newest.isEmpty()) {
      return "";
    }
    String run = newest.get(random.nextInt(newest.size()));
    List<ConsumerRecord<byte[], byte[]>> known = byRun.getOrDefault(run, List.of());
    List<ConsumerRecord<byte[], byte[]>> chosen;
    synchronized (known) {
      chosen = new ArrayList<>(known);
    }
    Collections.shuffle(chosen, random);
    chosen = chosen.subList(0, Math.min(chosen.size(), 1 + random.nextInt(MOST_RESENT)));
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : chosen) {
      sent.add(
          producer.send(
              new ProducerRecord<>(
                  TOPIC, record.partition(), record.key(), record.value(), record.headers())));
    }
    for (Future<RecordMetadata> one : sent) {
      try {
        one.get(2 * SEND_MS, TimeUnit.MILLISECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException("not all records were delivered again: " + e.getMessage(), e);
      }
    }
    return chosen.size() + " records of run " + run;
  }

  /** The topic may grow. */
  private static void addPartitions(KafkaConsumer<byte[], byte[]> consumer) {
    List<TopicPartition> all = partitions(consumer);
    Set<TopicPartition> added = new HashSet<>(all);
    added.removeAll(consumer.assignment());
    if (!added.isEmpty()) {
      consumer.assign(all);
      consumer.seekToBeginning(added);
    }
  }

  private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer) {
    return consumer.partitionsFor(TOPIC).stream()
        .map(info -> new TopicPartition(TOPIC, info.partition()))
        .toList();
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("enable.auto.commit", false);
    settings.put("isolation.level", "read_committed");
    settings.put("metadata.max.age.ms", LOOK.toMillis());
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static Optional<LoggedRecord> parse(ConsumerRecord<byte[], byte[]> record) {
    try {
      JsonNode data = ChaosHistoryStore.JSON.readTree(record.value());
      return LoggedRecord.of(
          record.partition(),
          record.offset(),
          header(record, "ce_id"),
          header(record, "ce_type"),
          data);
    } catch (IOException | IllegalArgumentException notAnEvent) {
      // Not an event: all other consumers skip it, too.
      return Optional.empty();
    }
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(name);
    return header == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    thread.join(TimeUnit.SECONDS.toMillis(10));
    producer.close(Duration.ofSeconds(5));
  }
}
