/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.smallrye.mutiny.Uni;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A consumer and a database in memory, whose failures a test plans. */
final class SinkFixture implements BatchHandler, PositionStore, DeadLetterHandler {
  static final int NUMBER = 3;
  static final TopicPartition PARTITION = new TopicPartition(TopicName.TRACE, NUMBER);
  private static final String RUN = RunId.next();

  final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  final Map<Integer, Long> stored = new HashMap<>();
  final List<Long> applied = new ArrayList<>();
  final List<PoisonRecord> deadLetters = new ArrayList<>();
  final Set<Long> unwritable = new HashSet<>();
  final List<String> decreased = new ArrayList<>();
  long missing;
  boolean away;
  boolean fatalWhenDecreased;
  @Nullable RuntimeException afterNextCommit;

  final TraceSink sink =
      new TraceSink(
          Map.of("bootstrap.servers", "127.0.0.1:1"),
          work -> Uni.createFrom().item(() -> work.apply(consumer)),
          this,
          this,
          this,
          SinkFatalException::new);

  SinkFixture(long end) {
    consumer.assign(Set.of(PARTITION));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, end));
  }

  /** A poll with a record at each of these offsets. */
  static ConsumerRecords<byte[], byte[]> poll(long next, long... offsets) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (long offset : offsets) {
      ProducerRecord<String, byte[]> sent =
          TraceCodec.encode(
              TopicName.TRACE,
              new TraceRecord(
                  new EventId(RUN, Lane.runner(1), offset + 1),
                  URI.create("/test"),
                  Instant.EPOCH,
                  new TraceEvent.RunnerStarted("x", 1L, "host", null, 0)),
              null);
      ConsumerRecord<byte[], byte[]> read =
          new ConsumerRecord<>(
              TopicName.TRACE,
              NUMBER,
              offset,
              sent.key().getBytes(StandardCharsets.UTF_8),
              sent.value());
      sent.headers().forEach(read.headers()::add);
      records.add(read);
    }
    return new ConsumerRecords<>(
        Map.of(PARTITION, records), Map.of(PARTITION, new OffsetAndMetadata(next)));
  }

  @Override
  public Uni<Void> learn(SinkBatch batch) {
    return Uni.createFrom().voidItem();
  }

  @Override
  public @Nullable String refusal(SinkRecord record) {
    return null;
  }

  @Override
  public Uni<Outcome> apply(SinkBatch batch, Map<Integer, Long> expected) {
    for (SinkRecord record : batch.records()) {
      if (unwritable.contains(record.record().offset())) {
        return Uni.createFrom().failure(new IllegalArgumentException("bad value"));
      }
    }
    for (int partition : batch.spans().keySet()) {
      if (!stored.getOrDefault(partition, 0L).equals(expected.get(partition))) {
        return Uni.createFrom().item(Outcome.MOVED);
      }
    }
    batch.records().forEach(record -> applied.add(record.record().offset()));
    stored.putAll(batch.next());
    RuntimeException lost = afterNextCommit;
    afterNextCommit = null;
    return lost == null ? Uni.createFrom().item(Outcome.APPLIED) : Uni.createFrom().failure(lost);
  }

  @Override
  public boolean isRefused(Throwable failure) {
    return failure instanceof IllegalArgumentException;
  }

  @Override
  public Uni<Map<Integer, Long>> read(Collection<Integer> partitions) {
    if (away) {
      return Uni.createFrom().failure(new IllegalStateException("the database is away"));
    }
    Map<Integer, Long> found = new HashMap<>();
    partitions.forEach(p -> found.put(p, stored.computeIfAbsent(p, none -> 0L)));
    return Uni.createFrom().item(found);
  }

  @Override
  public Uni<Long> restart(TopicPartition partition, long position, long end) {
    stored.put(partition.partition(), 0L);
    return Uni.createFrom().item(0L);
  }

  @Override
  public void decreased(int partition, long expected, long now) {
    if (fatalWhenDecreased) {
      throw new SinkFatalException("decreased");
    }
    decreased.add(partition + ": " + expected + " to " + now);
  }

  @Override
  public void missing(long offsets) {
    missing += offsets;
  }

  @Override
  public Uni<Void> publish(PoisonRecord poison) {
    deadLetters.add(poison);
    return Uni.createFrom().voidItem();
  }
}
