/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.net.URI;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sends the live tail of logs to {@code baton.logs} in the background. Never blocks the caller: a
 * line that does not fit into the buffer is skipped, and the next line of its run that fits carries
 * the exact counts. All lines are in the runs' logs. Creates its producer at the first line.
 * Thread-safe.
 */
public final class LogShipper implements AutoCloseable {
  static final String TYPE = "dev.baton.log";

  private static final Logger LOG = Logger.getLogger(LogShipper.class);
  private static final long MAX_WAITING_BYTES = 8L << 20;
  private static final int MAX_WAITING_LINES = 50_000;

  /** Runs whose partitions are kept; more than a runner has at the same time. */
  private static final int MAX_RUNS = 4_096;

  /** Size of a line in addition to its text, in bytes. */
  private static final int AROUND = 100;

  private record RunEpoch(String run, int epoch) {}

  private record Waiting(LiveLogLine line, int bytes, SkippedLineCounter passed) {}

  private final URI source;
  private final Supplier<Producer<String, byte[]>> producers;
  // Bounded by the counts of bytes and lines, which are checked before a line is added.
  private final LinkedBlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicLong unsettled = new AtomicLong();
  private final AtomicBoolean warned = new AtomicBoolean();
  private @Nullable Thread sender;

  /**
   * The partition of each run that had lines last, chosen with its first line and kept when the
   * topic grows: readers of the tail would find the lines out of order. For the sender only.
   */
  private final Map<RunEpoch, Integer> partitions =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RunEpoch, Integer> eldest) {
          return size() > MAX_RUNS;
        }
      };

  public LogShipper(String runner, Supplier<Producer<String, byte[]>> producers) {
    this.source = URI.create("/baton/runner/" + runner);
    this.producers = producers;
  }

  /** Whether a line of this size would be sent now. If not, counts it as skipped. */
  boolean hasRoom(int bytes, SkippedLineCounter passed) {
    if (waitingBytes.get() + bytes + AROUND > MAX_WAITING_BYTES
        || unsettled.get() >= MAX_WAITING_LINES) {
      passed.add(1, bytes);
      return false;
    }
    return true;
  }

  /** Sends a line after {@link #hasRoom}, or one that must not be skipped. */
  void ship(LiveLogLine line, int bytes, SkippedLineCounter passed) {
    ensureStarted();
    unsettled.incrementAndGet();
    waitingBytes.addAndGet(bytes + AROUND);
    waiting.add(new Waiting(passed.onto(line), bytes, passed));
  }

  /** Waits until all lines are sent or skipped, at most this long. */
  public void drain(Duration patience) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    synchronized (unsettled) {
      long left = end - System.nanoTime();
      while (unsettled.get() > 0 && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(unsettled, left);
        left = end - System.nanoTime();
      }
    }
  }

  private synchronized void ensureStarted() {
    if (sender == null) {
      sender = Thread.ofPlatform().daemon().name("log-shipper").start(this::run);
    }
  }

  private void run() {
    Producer<String, byte[]> producer = producers.get();
    try {
      while (!Thread.currentThread().isInterrupted()) {
        send(producer, waiting.take());
      }
    } catch (InterruptedException | InterruptException closed) {
      LOG.debug("closed");
    } finally {
      Thread.interrupted();
      producer.close(Duration.ZERO);
    }
  }

  private void send(Producer<String, byte[]> producer, Waiting next) {
    try {
      producer.send(
          encode(next.line(), partition(producer, next.line())),
          (metadata, failure) -> sent(next, failure));
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      sent(next, e);
    }
  }

  private void sent(Waiting next, @Nullable Exception failure) {
    if (failure != null) {
      Long lines = next.line().passedLines();
      Long bytes = next.line().passedBytes();
      next.passed()
          .add(1 + (lines == null ? 0 : lines), next.bytes() + (bytes == null ? 0 : bytes));
      if (!warned.getAndSet(true)) {
        LOG.warnf(
            "run %s: live tail: lines are skipped; the run's log has them: %s",
            next.line().run(), failure.getMessage());
      }
    }
    waitingBytes.addAndGet(-next.bytes() - AROUND);
    if (unsettled.decrementAndGet() == 0) {
      synchronized (unsettled) {
        unsettled.notifyAll();
      }
    }
  }

  private @Nullable Integer partition(Producer<String, byte[]> producer, LiveLogLine line) {
    RunEpoch key = new RunEpoch(line.run(), line.epoch());
    Integer kept = partitions.get(key);
    if (kept == null) {
      kept = HomePartitioner.choose(line.run(), producer, TopicName.LOGS);
      if (kept != null) {
        partitions.put(key, kept);
      }
    }
    return kept;
  }

  private ProducerRecord<String, byte[]> encode(LiveLogLine line, @Nullable Integer partition) {
    return KafkaMessageFactory.<String>createWriter(TopicName.LOGS, partition, line.run())
        .writeBinary(
            CloudEventBuilder.v1()
                .withId(UUID.randomUUID().toString())
                .withSource(source)
                .withType(TYPE)
                .withSubject(line.run())
                .withTime(line.time().atOffset(ZoneOffset.UTC))
                .withData("application/json", Json.bytes(line))
                .build());
  }

  /** Discards lines that were not drained. */
  @Override
  public synchronized void close() {
    if (sender != null) {
      sender.interrupt();
    }
  }
}
