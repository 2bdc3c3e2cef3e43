/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.LaunchTimeouts;
import dev.baton.orchestrator.launch.LauncherCapacityLimiter.Result;
import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class LauncherCapacityLimiterTest {
  private static final RunnerPlace SMALL = place("small", 2, 1);
  private static final RunnerPlace OTHER = place("other", 2, 5);

  @Inject Event<RunnerSlotsFreedEvent> freed;

  private static RunnerPlace place(String pool, int launcherLimit, int poolLimit) {
    return new RunnerPlace(
        "l",
        pool,
        Map.of(),
        OptionalInt.of(launcherLimit),
        OptionalInt.of(poolLimit),
        0,
        0,
        true,
        LaunchTimeouts.ofAttach(Duration.ofMinutes(1)));
  }

  private static LauncherCapacityLimiter.Slot granted(Result result) {
    assertThat(result).isInstanceOf(Result.Granted.class);
    return ((Result.Granted) result).slot();
  }

  @Test
  void shouldNameWhatIsFull() {
    LauncherCapacityLimiter limiter = new LauncherCapacityLimiter(freed);
    granted(limiter.take(List.of(SMALL), "a", 0));

    assertThat(limiter.take(List.of(SMALL), "b", 0))
        .isEqualTo(Result.Full.ofLimit("l", "small", 1));
    granted(limiter.take(List.of(SMALL, OTHER), "c", 0));
    assertThat(limiter.take(List.of(OTHER), "d", 0)).isEqualTo(Result.Full.ofLimit("l", null, 2));
  }

  @Test
  void shouldGiveFreedRoomByPriorityAndThenByWaitingTime() {
    LauncherCapacityLimiter limiter = new LauncherCapacityLimiter(freed);
    LauncherCapacityLimiter.Slot held = granted(limiter.take(List.of(SMALL), "a", 0));
    limiter.take(List.of(SMALL), "low", 0);
    limiter.take(List.of(SMALL), "later", 0);
    limiter.take(List.of(SMALL), "high", 5);

    held.end();
    held.end();

    assertThat(limiter.takeForPool(SMALL)).isEmpty();
    assertThat(limiter.take(List.of(SMALL), "new", 0)).isInstanceOf(Result.Full.class);
    assertThat(limiter.take(List.of(SMALL), "low", 0)).isInstanceOf(Result.Full.class);
    LauncherCapacityLimiter.Slot first = granted(limiter.take(List.of(SMALL), "high", 5));
    first.end();
    assertThat(limiter.take(List.of(SMALL), "later", 0)).isInstanceOf(Result.Full.class);
    granted(limiter.take(List.of(SMALL), "low", 0));
  }

  @Test
  void shouldPostponeStartsAfterARefusal() {
    LauncherCapacityLimiter limiter = new LauncherCapacityLimiter(freed);
    LaunchRefusal refusal = new LaunchRefusal(LaunchRefusal.NO_ROOM, "quota is used up");
    LauncherCapacityLimiter.Slot running = granted(limiter.take(List.of(OTHER), "a", 0));
    running.accepted();

    granted(limiter.take(List.of(OTHER), "b", 0)).refused(refusal);

    Result.Full full = new Result.Full("l", "other", null, refusal);
    assertThat(limiter.take(List.of(OTHER), "b", 0)).isEqualTo(full);
    assertThat(full.reason()).isEqualTo("launcher_no_room");
    assertThat(limiter.takeForPool(OTHER)).isEmpty();
    granted(limiter.take(List.of(SMALL), "c", 0)).end();

    running.end();
    assertThat(limiter.take(List.of(OTHER), "d", 0))
        .as("a run after a waiting one")
        .isEqualTo(full);
    LauncherCapacityLimiter.Slot tried = granted(limiter.take(List.of(OTHER), "b", 0));
    assertThat(limiter.take(List.of(OTHER), "d", 0)).isEqualTo(full);
    tried.accepted();
    granted(limiter.take(List.of(OTHER), "d", 0));
  }

  @Test
  void shouldForgetARunThatNeedsNoRunner() {
    LauncherCapacityLimiter limiter = new LauncherCapacityLimiter(freed);
    LauncherCapacityLimiter.Slot held = granted(limiter.take(List.of(SMALL), "a", 0));
    limiter.take(List.of(SMALL), "cancelled", 9);
    held.end();

    limiter.forget("cancelled");

    granted(limiter.take(List.of(SMALL), "b", 0));
  }

  @Test
  void shouldCountAdoptedRunnersBeyondTheLimit() {
    LauncherCapacityLimiter limiter = new LauncherCapacityLimiter(freed);
    LauncherCapacityLimiter.Slot one = limiter.adopt(SMALL);
    LauncherCapacityLimiter.Slot two = limiter.adopt(SMALL);

    one.end();
    assertThat(limiter.takeForPool(SMALL)).isEmpty();
    two.end();
    assertThat(limiter.takeForPool(SMALL)).isPresent();
  }
}
