/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.orchestrator.topics.TopicSizeWatcher;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.topic.TopicPartitionReader;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.common.annotation.Identifier;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads the newest heartbeats of all partitions with its own consumer, for all silent runs at the
 * same time. Without a growth of the topic that can have moved the run it reads nothing.
 * Thread-safe.
 */
@ApplicationScoped
class MovedRunnerReader implements MovedRunnerLookup {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration CALL = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration READ = Duration.ofSeconds(30);
  private static final Duration KEEP = Duration.ofSeconds(10);

  private record Found(Result result, long atNanos) {}

  private final Admin admin;
  private final TopicSizeWatcher sizes;
  private final HeartbeatAuthenticator leases;
  private final Map<String, Object> kafka;
  private final Set<Query> pending = ConcurrentHashMap.newKeySet();
  private final Map<Query, Found> found = new ConcurrentHashMap<>();
  private final PeriodicTask reading =
      new PeriodicTask(
          "moved-runners",
          EVERY,
          "heartbeats: other partitions cannot be read, retrying; silent runs are not reported until then",
          this::read);

  MovedRunnerReader(
      Admin admin,
      TopicSizeWatcher sizes,
      HeartbeatAuthenticator leases,
      @Identifier("default-kafka-broker") Map<String, Object> kafka) {
    this.admin = admin;
    this.sizes = sizes;
    this.leases = leases;
    this.kafka = kafka;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    reading.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    reading.stop();
  }

  @Override
  public Result look(Query query, long since) {
    Found result = found.remove(query);
    if (result != null) {
      return result.result();
    }
    if (!sizes.mayHaveMoved(TopicName.HEARTBEATS, Instant.ofEpochMilli(since))) {
      return Result.STAYED;
    }
    if (pending.add(query)) {
      reading.wake();
    }
    return Result.PENDING;
  }

  private void read() throws InterruptedException {
    long now = System.nanoTime();
    found.values().removeIf(result -> now - result.atNanos() > KEEP.toNanos());
    Set<Query> asked = Set.copyOf(pending);
    if (asked.isEmpty()) {
      return;
    }
    try {
      Set<Query> moved = moved(asked);
      long at = System.nanoTime();
      asked.forEach(
          query ->
              found.put(
                  query, new Found(moved.contains(query) ? Result.MOVED : Result.STAYED, at)));
      pending.removeAll(asked);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("Kafka: cannot describe " + TopicName.HEARTBEATS, e);
    }
  }

  private Set<Query> moved(Set<Query> asked)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<TopicPartition> partitions = TopicPartitionReader.read(admin, TopicName.HEARTBEATS, CALL);
    Map<String, List<Query>> byRun = new HashMap<>();
    long from = Long.MAX_VALUE;
    for (Query query : asked) {
      byRun.computeIfAbsent(query.run(), _ -> new ArrayList<>()).add(query);
      from = Math.min(from, query.newerThan());
    }
    Set<Query> moved = new HashSet<>();
    try (KafkaConsumer<String, byte[]> consumer = consumer()) {
      Map<TopicPartition, Long> ends = begin(consumer, partitions, from);
      long until = System.nanoTime() + READ.toNanos();
      while (!hasReached(consumer, ends)) {
        if (System.nanoTime() > until) {
          throw new IllegalStateException(
              TopicName.HEARTBEATS + " was not read within " + READ.toSeconds() + " s");
        }
        for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
          for (Query query : byRun.getOrDefault(record.key(), List.of())) {
            if (isNewer(record, query)) {
              moved.add(query);
            }
          }
        }
      }
    }
    return moved;
  }

  /** Starts all partitions at a time; returns their ends. */
  private static Map<TopicPartition, Long> begin(
      KafkaConsumer<String, byte[]> consumer, List<TopicPartition> partitions, long from) {
    consumer.assign(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, CALL);
    Map<TopicPartition, Long> times = new HashMap<>();
    partitions.forEach(partition -> times.put(partition, Math.max(0, from)));
    Map<TopicPartition, OffsetAndTimestamp> first = consumer.offsetsForTimes(times, CALL);
    ends.forEach(
        (partition, end) -> {
          OffsetAndTimestamp offset = first.get(partition);
          consumer.seek(partition, offset == null ? end : offset.offset());
        });
    return ends;
  }

  private static boolean hasReached(
      KafkaConsumer<String, byte[]> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey(), CALL) >= end.getValue());
  }

  private boolean isNewer(ConsumerRecord<String, byte[]> record, Query query) {
    if (record.partition() == query.partition() || record.timestamp() <= query.newerThan()) {
      return false;
    }
    try {
      Heartbeat heartbeat = JsonEventCodec.heartbeat(record.headers(), record.value());
      return heartbeat.run().equals(query.run())
          && heartbeat.epoch() >= query.epoch()
          && (!query.attested()
              || leases.isAttested(TraceCodec.lease(record.headers()), heartbeat));
    } catch (IllegalArgumentException notOne) {
      // The task of its partition moves it to the dead letters.
      return false;
    }
  }

  /** Reads committed records, as liveness does. */
  private KafkaConsumer<String, byte[]> consumer() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.putAll(
        Map.of(
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false,
            ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
            false,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "earliest",
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            5_000,
            ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
            8 * 1024 * 1024));
    return new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
  }
}
