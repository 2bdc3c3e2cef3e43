/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LauncherPortTest {
  private static final LaunchTimeouts TIMEOUTS =
      new LaunchTimeouts(
          Optional.empty(), Optional.of(Duration.ofMinutes(5)), Duration.ofMinutes(1));

  @Test
  void shouldTimeOutByPhase() {
    assertThat(TIMEOUTS.in(RunnerPhase.QUEUED)).isEmpty();
    assertThat(TIMEOUTS.in(RunnerPhase.PULLING)).contains(Duration.ofMinutes(5));
    assertThat(TIMEOUTS.in(RunnerPhase.STARTING)).contains(Duration.ofMinutes(1));
    assertThat(TIMEOUTS.in(RunnerPhase.RUNNING)).contains(Duration.ofMinutes(1));
    assertThat(TIMEOUTS.in(RunnerPhase.ENDED)).isEmpty();
  }

  @Test
  void shouldBeginTheTimeAgainExceptBetweenStartingAndRunning() {
    assertThat(LaunchTimeouts.isRestarted(RunnerPhase.QUEUED, RunnerPhase.PULLING)).isTrue();
    assertThat(LaunchTimeouts.isRestarted(RunnerPhase.PULLING, RunnerPhase.RUNNING)).isTrue();
    assertThat(LaunchTimeouts.isRestarted(RunnerPhase.STARTING, RunnerPhase.RUNNING)).isFalse();
    assertThat(LaunchTimeouts.isRestarted(RunnerPhase.RUNNING, RunnerPhase.RUNNING)).isFalse();
    assertThat(LaunchTimeouts.isRestarted(RunnerPhase.RUNNING, RunnerPhase.ENDED)).isFalse();
  }

  @Test
  void shouldDeriveSignalAndReasonFromTheCode() {
    assertThat(RunnerExit.ofCode("r", 0).reason()).isEqualTo(ExitReason.COMPLETED);
    assertThat(RunnerExit.ofCode("r", 3).reason()).isEqualTo(ExitReason.FAILED);
    assertThat(RunnerExit.ofCode("r", 137).reason()).isEqualTo(ExitReason.KILLED);
    assertThat(RunnerExit.ofCode("r", 137).signal()).isEqualTo(9);
    assertThat(RunnerExit.ofCode("r", 255).signal()).isNull();
    assertThat(RunnerExit.unknown("r").signal()).isNull();
  }

  @Test
  void shouldRejectNamesThatNoPlaceAccepts() {
    assertThatThrownBy(() -> new LaunchSpec("A b", null, 0, "default", Map.of()))
        .hasMessageContaining("'A b' is not the name of a runner");
    assertThatThrownBy(() -> new LaunchSpec("a", "run", 0, "default", Map.of()))
        .hasMessageContaining("does not fit epoch 0");
  }
}
