/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import dev.baton.protocol.state.RestoreMarkFinder;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StateFold;
import dev.baton.protocol.state.UndamagedStateFinder;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.runner.capture.RestorableState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads all of the trace topic as it grows. Thread-safe. */
public final class TraceView implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Map<String, List<TraceRecord>> byRun = new HashMap<>();
  private final List<String> malformed = new ArrayList<>();
  private final Map<TopicPartition, Long> positions = new HashMap<>();
  private final List<TopicPartition> partitions;
  private final KafkaConsumer<String, byte[]> consumer;
  // Only queries end offsets; guarded by itself.
  private final KafkaConsumer<String, byte[]> ends;
  private final Thread thread;

  TraceView(String bootstrap) {
    consumer = consumer(bootstrap);
    ends = consumer(bootstrap);
    partitions =
        consumer.partitionsFor(TopicName.TRACE).stream()
            .map(p -> new TopicPartition(p.topic(), p.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    thread = Thread.ofPlatform().daemon().name("trace-view").start(this::read);
  }

  private static KafkaConsumer<String, byte[]> consumer(String bootstrap) {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers",
            bootstrap,
            "fetch.max.wait.ms",
            20,
            "auto.offset.reset",
            "earliest"),
        new StringDeserializer(),
        new ByteArrayDeserializer());
  }

  private void read() {
    try (consumer) {
      while (true) {
        take(consumer.poll(Duration.ofSeconds(1)));
      }
    } catch (WakeupException closed) {
      // Woken by close().
    }
  }

  private synchronized void take(Iterable<ConsumerRecord<String, byte[]>> records) {
    records.forEach(this::add);
    for (TopicPartition partition : partitions) {
      positions.put(partition, consumer.position(partition));
    }
    notifyAll();
  }

  private void add(ConsumerRecord<String, byte[]> record) {
    switch (TraceCodec.decode(record.key(), record.headers(), record.value())) {
      case TraceCodec.Decoded.Known known ->
          byRun.computeIfAbsent(known.record().run(), run -> new ArrayList<>()).add(known.record());
      case TraceCodec.Decoded.Unknown unknown -> malformed.add(unknown.type());
      case TraceCodec.Decoded.Malformed bad -> malformed.add(bad.reason());
    }
  }

  /** Returns all records that were acknowledged before this call. */
  public List<TraceRecord> records(String run) {
    Map<TopicPartition, Long> acknowledged;
    synchronized (ends) {
      acknowledged = ends.endOffsets(partitions);
    }
    return recordsUpTo(run, acknowledged);
  }

  private synchronized List<TraceRecord> recordsUpTo(
      String run, Map<TopicPartition, Long> acknowledged) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (!partitions.stream()
          .allMatch(it -> positions.getOrDefault(it, 0L) >= acknowledged.getOrDefault(it, 0L))) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError("read to " + positions + " of " + acknowledged);
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while reading the trace", e);
    }
    return List.copyOf(byRun.getOrDefault(run, List.of()));
  }

  /** Drops the run's records from memory. */
  public synchronized void forget(String run) {
    byRun.remove(run);
  }

  public synchronized List<String> malformed() {
    return List.copyOf(malformed);
  }

  /** Returns the run's records once they satisfy the condition. */
  public List<TraceRecord> await(String run, Predicate<List<TraceRecord>> condition)
      throws InterruptedException {
    return await(run, condition, PATIENCE);
  }

  public synchronized List<TraceRecord> await(
      String run, Predicate<List<TraceRecord>> condition, Duration patience)
      throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (!condition.test(byRun.getOrDefault(run, List.of()))) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        StringBuilder all =
            new StringBuilder("run " + run + " has not reached the expected state:");
        List<TraceRecord> came = byRun.getOrDefault(run, List.of());
        came.subList(Math.max(0, came.size() - 200), came.size())
            .forEach(r -> all.append("\n  ").append(r));
        throw new AssertionError(all.toString());
      }
      wait(left);
    }
    return List.copyOf(byRun.getOrDefault(run, List.of()));
  }

  /** Waits for an event of a type that satisfies a condition. */
  public <E extends TraceEvent> E await(String run, Class<E> type, Predicate<E> condition)
      throws InterruptedException {
    List<TraceRecord> records =
        await(run, all -> all.stream().anyMatch(r -> matches(r, type, condition)));
    return records.stream()
        .filter(r -> matches(r, type, condition))
        .map(r -> type.cast(r.event()))
        .findFirst()
        .orElseThrow();
  }

  private static <E extends TraceEvent> boolean matches(
      TraceRecord record, Class<E> type, Predicate<E> condition) {
    return type.isInstance(record.event()) && condition.test(type.cast(record.event()));
  }

  /**
   * Returns the fold up to and including {@code runner_assigned(epoch)}; of everything for epoch 0.
   */
  public RunState state(String run, int epoch) throws InterruptedException {
    List<TraceRecord> records =
        epoch == 0
            ? records(run)
            : await(run, all -> all.stream().anyMatch(r -> isAssignment(r, epoch)));
    StateFold fold = new StateFold(RunState.empty(run), marks(records));
    for (TraceRecord record : records) {
      fold.accept(record);
      if (isAssignment(record, epoch)) {
        break;
      }
    }
    return fold.state();
  }

  private static Set<String> marks(List<TraceRecord> records) {
    return RestoreMarkFinder.find(records.stream().map(TraceRecord::event).toList());
  }

  /**
   * Returns the latest state before {@code runner_assigned(epoch)} that needs none of these
   * checkpoints, and the id of the event that led to it; empty if there is none.
   */
  public Optional<RestorableState> stateWithout(String run, int epoch, Predicate<String> damaged)
      throws InterruptedException {
    List<TraceRecord> records =
        await(run, all -> all.stream().anyMatch(r -> isAssignment(r, epoch)));
    Set<String> marks = new HashSet<>(marks(records));
    RunState empty = RunState.empty(run);
    UndamagedStateFinder finder =
        new UndamagedStateFinder(empty, new StateFold(empty, marks), marks, damaged);
    for (TraceRecord record : records) {
      finder.accept(record);
      if (isAssignment(record, epoch)) {
        break;
      }
    }
    return finder
        .found()
        .map(
            point -> {
              if (point.after() != null) {
                marks.add(point.after());
              }
              StateFold fold = new StateFold(empty, marks);
              for (TraceRecord record : records) {
                fold.accept(record);
                if (isAssignment(record, epoch)) {
                  break;
                }
              }
              fold.returnTo(point.after());
              return new RestorableState(fold.state(), point.after());
            });
  }

  private static boolean isAssignment(TraceRecord record, int epoch) {
    return record.event() instanceof TraceEvent.RunnerAssigned assigned
        && assigned.epoch() == epoch;
  }

  @Override
  public void close() throws InterruptedException {
    consumer.wakeup();
    thread.join(Duration.ofSeconds(5));
    synchronized (ends) {
      ends.close();
    }
  }
}
