/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Intervals of 1 s and a timeout of 3 s, so the limit is 2 s. The test sets the clock. */
class RunLeaseTest {
  private final AtomicLong clock = new AtomicLong(-3_000_000_000L);
  private final AtomicInteger suspensions = new AtomicInteger();
  private final RunLease hold =
      new RunLease(
          Duration.ofSeconds(1), Duration.ofSeconds(3), clock::get, suspensions::incrementAndGet);

  /** Records the calls that it gets. */
  private static final class Work implements RunLease.Suspendable {
    final List<String> told = new ArrayList<>();

    @Override
    public void suspend() {
      told.add("suspend");
    }

    @Override
    public void goOn() {
      told.add("goOn");
    }
  }

  private void pass(long millis) {
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    hold.look();
  }

  @Test
  void shouldCountFromWhenTheAcknowledgedHeartbeatWasSent() throws Exception {
    Work work = hold.begin(Work::new);
    long sent = clock.get();
    pass(1_500);
    hold.acknowledged(sent);
    assertThat(hold.left()).isEqualTo(Duration.ofMillis(500));
    pass(499);
    assertThat(hold.isSuspended()).isFalse();

    pass(1);

    assertThat(hold.isSuspended()).isTrue();
    assertThat(work.told).containsExactly("suspend");
    assertThat(suspensions).hasValue(1);
    pass(10_000);
    assertThat(work.told).hasSize(1);
  }

  @Test
  void shouldNotBeMovedBackByALateAcknowledgement() {
    long first = clock.get();
    pass(1_000);
    long second = clock.get();
    hold.acknowledged(second);
    hold.acknowledged(first);
    pass(1_999);
    assertThat(hold.isSuspended()).isFalse();
  }

  @Test
  void shouldGoOnOnlyWhenConfirmedForThisSuspensionWithHeartbeatsThatAreHeard() throws Exception {
    Work work = hold.begin(Work::new);
    pass(2_000);
    // No confirmation is requested while no heartbeat is acknowledged, and an earlier one has no
    // effect.
    assertThat(hold.unconfirmed()).isEmpty();
    assertThat(hold.confirmed(1)).isFalse();
    assertThat(hold.isSuspended()).isTrue();

    hold.acknowledged(clock.get());
    assertThat(hold.isSuspended()).isTrue();
    assertThat(hold.unconfirmed()).isEqualTo(OptionalLong.of(1));
    assertThat(hold.confirmed(2)).isFalse();
    assertThat(hold.confirmed(1)).isTrue();
    assertThat(work.told).containsExactly("suspend", "goOn");

    // A confirmation of the first suspension does not end the second.
    pass(2_000);
    hold.acknowledged(clock.get());
    assertThat(hold.unconfirmed()).isEqualTo(OptionalLong.of(2));
    assertThat(hold.confirmed(1)).isFalse();
    assertThat(hold.confirmed(2)).isTrue();
    assertThat(hold.confirmed(2)).isFalse();
  }

  @Test
  void shouldLookAtTheClockBeforeAnythingBegins() throws Exception {
    Work work = hold.begin(Work::new);
    // As after a stop of the whole process: the lease has not been checked yet.
    clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
    CompletableFuture<String> begun = new CompletableFuture<>();
    Thread waiting =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    hold.begin(Work::new);
                    begun.complete("begun");
                  } catch (Exception e) {
                    begun.complete(e.toString());
                  }
                });
    while (waiting.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(begun).isNotDone();
    assertThat(work.told).containsExactly("suspend");

    hold.acknowledged(clock.get());
    assertThat(begun).isNotDone();
    assertThat(hold.confirmed(1)).isTrue();
    assertThat(begun.get(30, TimeUnit.SECONDS)).isEqualTo("begun");
  }

  @Test
  void shouldEndAWaitWhenTheRunIsStopped() throws Exception {
    pass(2_000);
    CompletableFuture<String> ended = new CompletableFuture<>();
    Thread waiting =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    hold.await();
                    ended.complete("went on");
                  } catch (InterruptedException e) {
                    ended.complete("interrupted");
                  }
                });
    waiting.interrupt();
    assertThat(ended.get(30, TimeUnit.SECONDS)).isEqualTo("interrupted");
  }

  @Test
  void shouldNotStopWhatHasEnded() throws Exception {
    Work work = hold.begin(Work::new);
    hold.end(work);
    pass(2_000);
    assertThat(work.told).isEmpty();
  }

  @Test
  void shouldLookDeadWhenNobodyAnswersForTheTimeoutAndAliveAgainWhenSomebodyDoes() {
    pass(2_000);
    pass(60_000);
    assertThat(hold.isGivenUp()).isFalse();
    hold.acknowledged(clock.get());
    assertThat(hold.unconfirmed()).isPresent();
    pass(2_999);
    assertThat(hold.isGivenUp()).isFalse();
    pass(1);
    assertThat(hold.isGivenUp()).isTrue();
    // Its confirmation is still requested.
    assertThat(hold.unconfirmed()).isEqualTo(OptionalLong.of(1));

    assertThat(hold.confirmed(1)).isFalse();

    assertThat(hold.isGivenUp()).isFalse();
    hold.acknowledged(clock.get());
    assertThat(hold.unconfirmed()).isPresent();
    assertThat(hold.confirmed(1)).isTrue();
  }

  @Test
  void shouldRefuseATimeoutThatComesBeforeTheLimit() {
    assertThatThrownBy(
            () -> new RunLease(Duration.ofSeconds(1), Duration.ofSeconds(2), clock::get, () -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2000 ms")
        .hasMessageContaining("more than two intervals");
  }
}
