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
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Follows the epochs and steps of each run by reading the trace from now on, headers only.
 * Thread-safe.
 */
final class RunEpochWatcher implements AutoCloseable {
  private static final String PREFIX = "dev.baton.";
  private static final Duration POLL = Duration.ofSeconds(1);

  private final KafkaConsumer<String, byte[]> consumer;
  private final Thread reader;

  // The lock of the fields below.
  private final Map<String, Newest> runs = new HashMap<>();
  private @Nullable RuntimeException failure;

  /**
   * Progress of the newest epoch that has started a step.
   *
   * @param startedNanos when its first step's start was read, by {@link System#nanoTime()}
   * @param stoodNanos time from the last step that the previous epoch completed until then; 0:
   *     there was none
   * @param completed number of steps
   * @param completedNanos when the last of them was read
   */
  record Newest(int epoch, long startedNanos, long stoodNanos, int completed, long completedNanos) {
    static Newest after(@Nullable Newest before, int epoch, long now) {
      long stood = before == null || before.completed == 0 ? 0 : now - before.completedNanos;
      return new Newest(epoch, now, stood, 0, 0);
    }

    Newest completing(long now) {
      return new Newest(epoch, startedNanos, stoodNanos, completed + 1, now);
    }
  }

  private RunEpochWatcher(KafkaConsumer<String, byte[]> consumer) {
    this.consumer = consumer;
    this.reader = Thread.ofPlatform().name("epoch-watch").daemon().start(this::read);
  }

  /**
   * @throws org.apache.kafka.common.KafkaException when the broker does not respond within 30 s
   */
  static RunEpochWatcher start(String bootstrap) {
    return new RunEpochWatcher(TailConsumerFactory.open(bootstrap, TopicName.TRACE, Map.of()));
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
    consumer.wakeup();
    reader.join(Duration.ofSeconds(10));
  }

  private void read() {
    try (consumer) {
      while (true) {
        var records = consumer.poll(POLL);
        long now = System.nanoTime();
        synchronized (this) {
          for (ConsumerRecord<String, byte[]> record : records) {
            take(record, now);
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
    boolean started = type.equals(PREFIX + "step_started");
    if (!started && !type.equals(PREFIX + "step_completed")) {
      return;
    }
    EventId event = EventId.parse(id);
    int epoch = event.lane().epoch();
    Newest newest = runs.get(event.run());
    if (newest == null || epoch > newest.epoch()) {
      if (started) {
        runs.put(event.run(), Newest.after(newest, epoch, now));
      }
    } else if (epoch == newest.epoch() && !started) {
      runs.put(event.run(), newest.completing(now));
    }
  }
}
