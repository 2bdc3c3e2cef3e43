/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.liveness;

import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.trace.RunId;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Sends heartbeats of runs that do no work, evenly distributed over the interval. */
final class HeartbeatLoadGenerator implements AutoCloseable {
  private static final URI SOURCE = URI.create("/benchmark/liveness");
  private static final String RUNNER = "simulated";

  private final String[] runs;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Duration interval;
  private final KafkaProducer<String, byte[]> producer;
  private final AtomicLongArray sent;
  private final AtomicLongArray acknowledged;
  private final BitSet silent;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile @Nullable Exception failure;

  HeartbeatLoadGenerator(String kafka, int count, Duration interval) {
    this.runs = new String[count];
    this.interval = interval;
    this.sent = new AtomicLongArray(count);
    this.acknowledged = new AtomicLongArray(count);
    this.silent = new BitSet(count);
    for (int n = 0; n < count; n++) {
      runs[n] = RunId.next();
      numbers.put(runs[n], n);
    }
    producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                kafka,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.LINGER_MS_CONFIG,
                2),
            new StringSerializer(),
            new ByteArraySerializer());
    thread = Thread.ofPlatform().name("heartbeats").daemon().start(this::send);
  }

  /** The run's number; null for a run of another workload. */
  @Nullable Integer number(String run) {
    return numbers.get(run);
  }

  /** When sending of a run's last heartbeat started, on the clock of {@link System#nanoTime}. */
  long lastSent(int number) {
    return sent.get(number);
  }

  /** When a run's last heartbeat was acknowledged, on the same clock. */
  long lastHeard(int number) {
    return acknowledged.get(number);
  }

  boolean isSilent(int number) {
    synchronized (silent) {
      return silent.get(number);
    }
  }

  /** Stops the heartbeats of these runs. */
  void silence(BitSet some) {
    synchronized (silent) {
      silent.or(some);
    }
  }

  /**
   * @throws IOException when heartbeats could not be sent, so that the measurement is invalid
   */
  void check() throws IOException {
    Exception failed = failure;
    if (failed != null) {
      throw new IOException("heartbeats could not be sent: " + failed, failed);
    }
  }

  private void send() {
    long start = System.nanoTime();
    for (long turn = 0; !stopping; turn++) {
      for (int n = 0; n < runs.length && !stopping; n++) {
        long at = start + turn * interval.toNanos() + interval.toNanos() / runs.length * n;
        for (long left = at - System.nanoTime();
            left > 0 && !stopping;
            left = at - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        if (!isSilent(n)) {
          beat(n, "running");
        }
      }
    }
  }

  private void beat(int n, String state) {
    sent.set(n, System.nanoTime());
    producer.send(
        JsonEventCodec.encode(
            SOURCE,
            new Heartbeat(
                runs[n],
                1,
                RUNNER,
                state,
                "work",
                null,
                interval.toMillis(),
                timeout().toMillis(),
                0,
                0,
                0.1,
                64 << 20)),
        (metadata, failed) -> {
          if (failed != null) {
            failure = failed;
          } else {
            acknowledged.set(n, System.nanoTime());
          }
        });
  }

  Duration timeout() {
    return interval.multipliedBy(3);
  }

  /** Ends all runs. */
  @Override
  public void close() throws InterruptedException {
    stopping = true;
    LockSupport.unpark(thread);
    thread.join(TimeUnit.SECONDS.toMillis(30));
    for (int n = 0; n < runs.length; n++) {
      beat(n, Heartbeat.ENDED);
    }
    producer.close(Duration.ofSeconds(30));
  }
}
