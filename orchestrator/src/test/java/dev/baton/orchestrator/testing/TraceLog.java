/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes to the log like a runner with a lease, or an orchestrator, and reads it. */
public final class TraceLog implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final URI SOURCE = URI.create("/test/runner");

  private final String bootstrap;
  private final LeaseSigner signer;
  private final KafkaProducer<String, byte[]> producer;

  public TraceLog(String bootstrap, LeaseSigner signer) {
    this.bootstrap = bootstrap;
    this.signer = signer;
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "acks", "all", "linger.ms", 0),
            new StringSerializer(),
            new ByteArraySerializer());
  }

  /** Appends an event and waits for the acknowledgement. */
  public void append(String run, Lane lane, long seq, TraceEvent event) {
    TraceRecord record = new TraceRecord(new EventId(run, lane, seq), SOURCE, Instant.now(), event);
    String lease = lane.isControl() ? null : signer.mint(run, lane.epoch(), "default");
    ProducerRecord<String, byte[]> sent = TraceCodec.encode(TopicName.TRACE, record, lease);
    if (lane.isControl()) {
      signer.sign(List.of(sent));
    }
    send(sent);
  }

  public void beat(String run, int epoch, String state, long timeoutMs) {
    send(
        JsonEventCodec.encode(
            SOURCE,
            new Heartbeat(run, epoch, "test", state, null, null, 200, timeoutMs, 0, 0, 0, 0)));
  }

  public void signal(RunnerSignal signal) {
    send(signed(signal));
  }

  /** Returns the record of a signal of an orchestrator. */
  public ProducerRecord<String, byte[]> signed(RunnerSignal signal) {
    ProducerRecord<String, byte[]> record = JsonEventCodec.encode(SOURCE, signal);
    signer.sign(List.of(record));
    return record;
  }

  /** Sends without waiting; a later {@link #send} to the same partition is after it. */
  public void post(ProducerRecord<String, byte[]> record) {
    producer.send(record);
  }

  public void send(ProducerRecord<String, byte[]> record) {
    try {
      producer.send(record).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (java.util.concurrent.ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a run's records from the start of the topic, once they match the predicate. */
  public List<ConsumerRecord<String, byte[]>> await(
      String topic, String run, Predicate<List<ConsumerRecord<String, byte[]>>> wanted) {
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      for (PartitionInfo info : consumer.partitionsFor(topic)) {
        partitions.add(new TopicPartition(topic, info.partition()));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      List<ConsumerRecord<String, byte[]>> found = new ArrayList<>();
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (!wanted.test(found)) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException(topic + " has for " + run + ": " + found);
        }
        for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          if (run.equals(record.key())) {
            found.add(record);
          }
        }
      }
      return found;
    }
  }

  /** Returns the run's events, once they match the predicate. */
  public List<TraceRecord> trace(String run, Predicate<List<TraceRecord>> wanted) {
    return events(await(TopicName.TRACE, run, records -> wanted.test(events(records))));
  }

  private static List<TraceRecord> events(List<ConsumerRecord<String, byte[]>> records) {
    List<TraceRecord> events = new ArrayList<>();
    for (ConsumerRecord<String, byte[]> record : records) {
      if (TraceCodec.decode(record.key(), record.headers(), record.value())
          instanceof TraceCodec.Decoded.Known known) {
        events.add(known.record());
      }
    }
    return events;
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(2));
  }
}
