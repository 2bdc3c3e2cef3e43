/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.topic.Topics;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.kafka.KafkaMessageFactory;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sends log lines in the background. Never blocks who logs: a line that finds the spool full is
 * dropped, and the next one that fits is preceded by a line that says how many were. Thread-safe.
 * Its producer is made at the first line.
 */
public final class LogShipper implements AutoCloseable {
  static final String TYPE = "dev.baton.log";

  private static final Logger LOG = Logger.getLogger(LogShipper.class);
  private static final long MAX_SPOOLED_BYTES = 8L << 20;
  private static final int MAX_SPOOLED_LINES = 50_000;

  private final URI source;
  private final Supplier<Producer<String, byte[]>> producers;
  private final LinkedBlockingQueue<LogLine> spool = new LinkedBlockingQueue<>(MAX_SPOOLED_LINES);
  private final AtomicLong spooledBytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong unsettled = new AtomicLong();
  private @Nullable Thread sender;

  public LogShipper(String runner, Supplier<Producer<String, byte[]>> producers) {
    this.source = URI.create("/baton/runner/" + runner);
    this.producers = producers;
  }

  /** Spools the line, or drops it. */
  public void ship(LogLine line) {
    ensureStarted();
    if (spooledBytes.get() + line.text().length() > MAX_SPOOLED_BYTES) {
      dropped.incrementAndGet();
      return;
    }
    long lost = dropped.getAndSet(0);
    if (lost > 0) {
      LogLine gap =
          new LogLine(
              line.run(),
              line.epoch(),
              line.step(),
              line.attempt(),
              "baton",
              Instant.now(),
              lost + " lines were dropped here: the log could not be sent fast enough");
      spool(gap);
    }
    spool(line);
  }

  private void spool(LogLine line) {
    unsettled.incrementAndGet();
    spooledBytes.addAndGet(line.text().length());
    if (!spool.offer(line)) {
      settle(line);
      dropped.incrementAndGet();
    }
  }

  /** Waits until all lines are sent or lost, at most so long. */
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
        send(producer, spool.take());
      }
    } catch (InterruptedException | InterruptException closed) {
      LOG.debug("closed");
    } finally {
      Thread.interrupted();
      producer.close(Duration.ZERO);
    }
  }

  private void send(Producer<String, byte[]> producer, LogLine line) {
    try {
      producer.send(encode(line), (metadata, failure) -> sent(line, failure));
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      sent(line, e);
    }
  }

  private void sent(LogLine line, @Nullable Exception failure) {
    if (failure != null && dropped.getAndIncrement() == 0) {
      LOG.warnf("log lines of run %s are lost: %s", line.run(), failure.getMessage());
    }
    settle(line);
  }

  private void settle(LogLine line) {
    spooledBytes.addAndGet(-line.text().length());
    if (unsettled.decrementAndGet() == 0) {
      synchronized (unsettled) {
        unsettled.notifyAll();
      }
    }
  }

  private ProducerRecord<String, byte[]> encode(LogLine line) {
    return KafkaMessageFactory.<String>createWriter(Topics.LOGS, line.run())
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

  /** Lines that were not drained are lost. */
  @Override
  public synchronized void close() {
    if (sender != null) {
      sender.interrupt();
    }
  }
}
