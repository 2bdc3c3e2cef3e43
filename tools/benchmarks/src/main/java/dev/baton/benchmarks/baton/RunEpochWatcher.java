/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Follows the epochs and steps of each run, and the signals about its runners, by reading both
 * topics from now on, headers only. Thread-safe.
 */
final class RunEpochWatcher implements AutoCloseable {
  private static final String PREFIX = "dev.baton.";
  private static final Duration POLL = Duration.ofSeconds(1);

  private final List<KafkaConsumer<String, byte[]>> consumers;
  private final List<Thread> readers = new ArrayList<>();

  // The lock of the fields below.
  private final Map<String, Newest> runs = new HashMap<>();
  private final Map<String, TakeoverTimes> takeovers = new HashMap<>();
  private @Nullable RuntimeException failure;

  /**
   * Progress of the newest epoch that has started a step.
   *
   * @param startedNanos when its first step's start was read, by {@link System#nanoTime()}
   * @param stoodNanos time from the last step that the previous epoch completed until then; 0:
   *     there was none
   * @param completed number of steps
   * @param completedNanos when the last of them was read
   * @param takeover when what led to this epoch was read
   */
  record Newest(
      int epoch,
      long startedNanos,
      long stoodNanos,
      int completed,
      long completedNanos,
      TakeoverTimes takeover) {
    static Newest after(@Nullable Newest before, int epoch, long now, TakeoverTimes takeover) {
      long stood = before == null || before.completed == 0 ? 0 : now - before.completedNanos;
      return new Newest(epoch, now, stood, 0, 0, takeover.withStep(now));
    }

    Newest completing(long now) {
      return new Newest(epoch, startedNanos, stoodNanos, completed + 1, now, takeover);
    }
  }

  private RunEpochWatcher(
      KafkaConsumer<String, byte[]> trace, KafkaConsumer<String, byte[]> signals) {
    this.consumers = List.of(trace, signals);
    readers.add(reader("epoch-watch", trace, this::take));
    readers.add(reader("signal-watch", signals, this::takeSignal));
  }

  private Thread reader(
      String name, KafkaConsumer<String, byte[]> consumer, RecordHandler handler) {
    return Thread.ofPlatform().name(name).daemon().start(() -> read(consumer, handler));
  }

  /**
   * @throws org.apache.kafka.common.KafkaException when the broker does not respond within 30 s
   */
  static RunEpochWatcher start(String bootstrap) {
    return new RunEpochWatcher(
        TailConsumerFactory.open(bootstrap, TopicName.TRACE, Map.of()),
        TailConsumerFactory.open(bootstrap, TopicName.SIGNALS, Map.of()));
  }

  /**
   * Waits until a run's newest epoch matches the predicate.
   *
   * @throws IOException when it does not within {@code bound}
   */
  synchronized Newest await(String run, Predicate<Newest> wish, Duration bound)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    while (true) {
      if (failure != null) {
        throw new IOException("the trace cannot be read: " + failure, failure);
      }
      Newest newest = runs.get(run);
      if (newest != null && wish.test(newest)) {
        return newest;
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new IOException("run " + run + " does not resume within " + bound + ": " + newest);
      }
      wait(left / 1_000_000 + 1);
    }
  }

  @Override
  public void close() throws InterruptedException {
    consumers.forEach(KafkaConsumer::wakeup);
    for (Thread reader : readers) {
      reader.join(Duration.ofSeconds(10));
    }
  }

  private interface RecordHandler {
    void take(ConsumerRecord<String, byte[]> record, long now);
  }

  private void read(KafkaConsumer<String, byte[]> consumer, RecordHandler handler) {
    try (consumer) {
      while (true) {
        var records = consumer.poll(POLL);
        long now = System.nanoTime();
        synchronized (this) {
          for (ConsumerRecord<String, byte[]> record : records) {
            handler.take(record, now);
          }
          notifyAll();
        }
      }
    } catch (WakeupException e) {
      // The request to stop.
    } catch (RuntimeException e) {
      synchronized (this) {
        failure = e;
        notifyAll();
      }
    }
  }

  private void take(ConsumerRecord<String, byte[]> record, long now) {
    String type = TailConsumerFactory.header(record, "ce_type");
    String id = TailConsumerFactory.header(record, "ce_id");
    if (type == null || id == null) {
      return;
    }
    EventId event = EventId.parse(id);
    String run = event.run();
    switch (type.substring(Math.min(PREFIX.length(), type.length()))) {
      case "runner_assigned" -> takeovers.compute(run, (_, it) -> of(it).withAssignment(now));
      case "runner_started" -> takeovers.compute(run, (_, it) -> of(it).withRunner(now));
      case "step_started" -> started(run, event.lane().epoch(), now);
      case "step_completed" -> completed(run, event.lane().epoch(), now);
      default -> {}
    }
  }

  private void started(String run, int epoch, long now) {
    Newest newest = runs.get(run);
    if (newest == null || epoch > newest.epoch()) {
      runs.put(run, Newest.after(newest, epoch, now, of(takeovers.remove(run))));
    }
  }

  private void completed(String run, int epoch, long now) {
    Newest newest = runs.get(run);
    if (newest != null && epoch == newest.epoch()) {
      runs.put(run, newest.completing(now));
    }
  }

  private void takeSignal(ConsumerRecord<String, byte[]> record, long now) {
    takeovers.compute(record.key(), (_, it) -> of(it).withSignal(now));
  }

  private static TakeoverTimes of(@Nullable TakeoverTimes known) {
    return known == null ? TakeoverTimes.NONE : known;
  }
}
