/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.liveness;

import dev.baton.benchmarks.baton.TailConsumerFactory;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.protocol.topic.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Reads the signals; reports which silent runs were signalled, how late, and which live runs were
 * signalled wrongly.
 */
final class SignalLatencyWatcher implements AutoCloseable {
  private final KafkaConsumer<String, byte[]> consumer;
  private final HeartbeatLoadGenerator heartbeats;
  private final Map<Integer, Long> late = new ConcurrentHashMap<>();
  private final AtomicInteger falseAlarms = new AtomicInteger();
  private final Thread thread;
  private volatile BitSet awaited = new BitSet();
  private volatile CountDownLatch missing = new CountDownLatch(0);

  SignalLatencyWatcher(String kafka, HeartbeatLoadGenerator heartbeats) {
    this.heartbeats = heartbeats;
    consumer = TailConsumerFactory.open(kafka, TopicName.SIGNALS, Map.of());
    thread = Thread.ofPlatform().name("signals").daemon().start(this::read);
  }

  /** Sets the runs that must be signalled; others must not be. */
  void expect(BitSet silenced) {
    late.clear();
    missing = new CountDownLatch(silenced.cardinality());
    awaited = (BitSet) silenced.clone();
  }

  /** Waits for at most this time until all were signalled. */
  LivenessResult.Silence await(Duration most) throws InterruptedException {
    boolean all = missing.await(most.toMillis(), TimeUnit.MILLISECONDS);
    long[] micros = late.values().stream().mapToLong(nanos -> Math.max(0, nanos) / 1_000).toArray();
    List<DurationDistribution> told = new ArrayList<>();
    if (micros.length > 0) {
      told.add(DurationDistribution.of(micros));
    }
    int silenced = awaited.cardinality();
    return new LivenessResult.Silence(
        silenced, all ? silenced : micros.length, falseAlarms(), told);
  }

  /**
   * Returns the number of signals since the last call for runs that were still sending, or had sent
   * within their timeout.
   */
  int falseAlarms() {
    return falseAlarms.getAndSet(0);
  }

  private void read() {
    try {
      while (true) {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          Integer number = heartbeats.number(record.key());
          if (number == null) {
            continue;
          }
          long now = System.nanoTime();
          if (awaited.get(number)) {
            long timeout = heartbeats.timeout().toNanos();
            if (now - heartbeats.lastSent(number) < timeout) {
              falseAlarms.incrementAndGet();
            }
            long after = now - heartbeats.lastHeard(number) - timeout;
            if (late.putIfAbsent(number, after) == null) {
              missing.countDown();
            }
          } else if (!heartbeats.isSilent(number)) {
            falseAlarms.incrementAndGet();
          }
        }
      }
    } catch (WakeupException closed) {
      consumer.close();
    }
  }

  @Override
  public void close() throws InterruptedException {
    consumer.wakeup();
    thread.join(TimeUnit.SECONDS.toMillis(10));
  }
}
