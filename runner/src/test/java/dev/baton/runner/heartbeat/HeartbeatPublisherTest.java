/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.runner.journal.ProducerSettings;
import dev.baton.runner.lease.RunLease;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeartbeatPublisherTest {
  private static final Duration INTERVAL = Duration.ofMillis(200);
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final Duration BLOCK = Duration.ofSeconds(2);
  private static final Duration END = Duration.ofSeconds(30);

  /** Reports a step, after the latch. */
  private record StepAfter(CountDownLatch latch) implements HeartbeatSource {
    @Override
    public Activity activity() {
      return Activity.RUNNING;
    }

    @Override
    public String step() {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return "build";
    }

    @Override
    public @Nullable Instant lastActivity() {
      return null;
    }
  }

  private static HeartbeatPublisher.Beat start(
      HeartbeatPublisher heartbeats, HeartbeatSource source) {
    return heartbeats.start(
        "01m8mybaghdrd54s42djp66dm1",
        1,
        "",
        INTERVAL,
        TIMEOUT,
        source,
        RunLease.forever(),
        (run, epoch, suspension) -> {});
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + END.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("within %s", END).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** Whether the thread of the heartbeats waits in a method of this class. */
  private static boolean isWaitingIn(Class<?> type) {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().equals(HeartbeatPublisher.THREAD))
        .filter(thread -> thread.getKey().getState() != Thread.State.RUNNABLE)
        .flatMap(thread -> Arrays.stream(thread.getValue()))
        .anyMatch(frame -> frame.getClassName().equals(type.getName()));
  }

  @Test
  void shouldShowWorkThatHangs() {
    CountDownLatch end = new CountDownLatch(1);
    try (Producer<String, byte[]> producer =
            new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
        HeartbeatPublisher heartbeats = new HeartbeatPublisher("test", producer)) {
      HeartbeatPublisher.Beat beat = start(heartbeats, new StepAfter(end));

      await(() -> isWaitingIn(StepAfter.class));
      heartbeats.work().isStalled();
      assertThat(heartbeats.work().isStalled()).isTrue();

      end.countDown();
      await(() -> !heartbeats.work().isStalled());
      beat.stop();
    }
  }

  @Test
  void shouldNotTakeAWaitForTheBrokersForWork() {
    // Nothing listens there.
    Map<String, ?> cluster = Map.of("bootstrap.servers", "127.0.0.1:1");
    try (Producer<String, byte[]> producer = ProducerSettings.durable(cluster, "test", BLOCK);
        HeartbeatPublisher heartbeats = new HeartbeatPublisher("test", producer)) {
      HeartbeatPublisher.Beat beat = start(heartbeats, new StepAfter(new CountDownLatch(0)));

      await(() -> isWaitingIn(KafkaProducer.class));
      heartbeats.work().isStalled();
      assertThat(heartbeats.work().isStalled()).isFalse();
      beat.stop();
    }
  }
}
