/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EventLoopGuardTest {
  @Test
  void shouldFindABlockedLoopUntilItAnswers() throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2));
    AtomicLong clock = new AtomicLong();
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    EventLoopGuard guard =
        new EventLoopGuard(vertx, metrics, EventLoopHealthCheck.notReady(), clock::get);
    EventLoopHealthCheck ready = new EventLoopHealthCheck(guard);
    CountDownLatch release = new CountDownLatch(1);
    EventExecutor loop = vertx.nettyEventLoopGroup().next();
    try {
      guard.look();
      loop.submit(() -> {}).get(30, TimeUnit.SECONDS);
      block(loop, release);

      guard.look();
      for (EventExecutor other : vertx.nettyEventLoopGroup()) {
        if (other != loop) {
          other.submit(() -> {}).get(30, TimeUnit.SECONDS);
        }
      }
      assertThat(guard.blocked()).isZero();
      clock.addAndGet(EventLoopGuard.PATIENCE.plus(Duration.ofMillis(1)).toNanos());
      guard.look();

      assertThat(guard.blocked()).isEqualTo(1);
      assertThat(ready.call().getStatus().name()).isEqualTo("DOWN");
      assertThat(metrics.get("baton.event.loop.blocks").counter().count()).isEqualTo(1);

      release.countDown();
      loop.submit(() -> {}).get(30, TimeUnit.SECONDS);
      guard.look();

      assertThat(guard.blocked()).isZero();
      assertThat(ready.call().getStatus().name()).isEqualTo("UP");
    } finally {
      release.countDown();
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldWaitLongerForThreadsThatStart() throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    AtomicLong clock = new AtomicLong();
    EventLoopGuard guard =
        new EventLoopGuard(
            vertx, new SimpleMeterRegistry(), EventLoopHealthCheck.notReady(), clock::get);
    CountDownLatch release = new CountDownLatch(1);
    EventExecutor loop = vertx.nettyEventLoopGroup().next();
    try {
      block(loop, release);

      guard.look();
      clock.addAndGet(EventLoopGuard.PATIENCE.plus(Duration.ofMillis(1)).toNanos());
      guard.look();
      assertThat(guard.blocked()).isZero();
      clock.addAndGet(EventLoopGuard.FIRST_PATIENCE.toNanos());
      guard.look();

      assertThat(guard.blocked()).isEqualTo(1);
    } finally {
      release.countDown();
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }

  /** Returns when the loop is blocked, until the latch is open. */
  private static void block(EventExecutor loop, CountDownLatch release) throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    loop.execute(
        () -> {
          blocked.countDown();
          try {
            release.await(50, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
  }
}
