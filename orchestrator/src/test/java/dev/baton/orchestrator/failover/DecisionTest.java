/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.signal.Signal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DecisionTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Signal EXITED = new Signal.RunnerExited("r", 4, "p", 137);
  private static final Signal LEFT = new Signal.RunnerLeft("r", 4, "p", "max_lifetime");
  private static final Signal SILENT = new Signal.HeartbeatsMissed("r", 4, "p", 3_100, 3_000);

  private static Decision.Run run(
      String kind, boolean ended, String desired, String restart, @Nullable Instant deadline) {
    return new Decision.Run(
        kind, 4, ended, desired, false, false, restart, true, true, deadline, 2, 1, 0);
  }

  private static Decision.Run neverRestarted(boolean begun, boolean saved) {
    return new Decision.Run(
        "managed", 4, false, "running", false, false, "never", begun, saved, null, 0, 0, 0);
  }

  @Test
  void shouldAdvanceAnOpenRunOfThatEpoch() {
    assertThat(Decision.of(run("managed", false, "running", "always", null), EXITED, NOW))
        .isEqualTo(new Decision.Advance(5, "runner_exited", 0, Duration.ZERO));
    assertThat(Decision.of(run("managed", false, "running", "always", null), SILENT, NOW))
        .isEqualTo(new Decision.Advance(5, "heartbeats_missed", 0, Duration.ZERO));
  }

  @Test
  void shouldIgnoreWhatIsOver() {
    assertThat(Decision.of(null, EXITED, NOW)).isInstanceOf(Decision.Ignore.class);
    assertThat(Decision.of(run("managed", true, "running", "always", null), EXITED, NOW))
        .isInstanceOf(Decision.Ignore.class);
    assertThat(Decision.of(run("managed", false, "cancelled", "always", null), EXITED, NOW))
        .isInstanceOf(Decision.Ignore.class);
    Signal older = new Signal.RunnerExited("r", 3, "p", 137);
    assertThat(Decision.of(run("managed", false, "running", "always", null), older, NOW))
        .isInstanceOf(Decision.Ignore.class);
  }

  @Test
  void shouldLoseWhatCannotGoOn() {
    assertThat(Decision.of(run("external", false, "running", "always", null), SILENT, NOW))
        .isEqualTo(new Decision.Lose("heartbeats_missed", "its runner p was silent for 3100 ms"));
    assertThat(Decision.of(run("managed", false, "running", "always", NOW), EXITED, NOW))
        .isEqualTo(new Decision.Lose("deadline_exceeded", "the deadline was " + NOW));
  }

  @Test
  void shouldLoseARunThatMustNotBeginAgainOnlyWhereItWould() {
    assertThat(Decision.of(neverRestarted(true, false), EXITED, NOW))
        .isEqualTo(new Decision.Lose("restart_never", "its runner p exited with 137"));
    assertThat(Decision.of(neverRestarted(false, false), EXITED, NOW))
        .isEqualTo(new Decision.Lose("restart_never", "its runner p exited with 137"));
    assertThat(Decision.of(neverRestarted(true, true), EXITED, NOW))
        .isInstanceOf(Decision.Advance.class);
    assertThat(Decision.of(neverRestarted(true, false), LEFT, NOW))
        .isEqualTo(new Decision.Lose("restart_never", "its runner p has left (max_lifetime)"));
    assertThat(Decision.of(neverRestarted(true, true), LEFT, NOW))
        .isInstanceOf(Decision.Advance.class);
    assertThat(Decision.of(neverRestarted(false, false), LEFT, NOW))
        .isInstanceOf(Decision.Advance.class);
  }

  @Test
  void shouldNotCountARunnerThatHasLeftInGoodOrderAsAFailure() {
    Decision.Run troubled =
        new Decision.Run(
            "managed", 4, false, "running", false, false, "always", true, true, null, 2, 2, 7);
    assertThat(Decision.of(troubled, LEFT, NOW))
        .isEqualTo(new Decision.Advance(5, "runner_left", 7, Duration.ZERO));
  }

  @Test
  void shouldStartNoRunnerForARunThatIsToBePausedOrIs() {
    Decision.Run pausing =
        new Decision.Run(
            "managed", 4, false, "running", true, false, "always", true, true, null, 2, 1, 0);
    Decision.Run paused =
        new Decision.Run(
            "managed", 4, false, "running", true, true, "always", true, true, null, 2, 1, 0);
    assertThat(Decision.of(pausing, EXITED, NOW)).isEqualTo(new Decision.Pause(5, "runner_exited"));
    assertThat(Decision.of(paused, EXITED, NOW)).isInstanceOf(Decision.Ignore.class);
  }

  @Test
  void shouldWaitEverLongerWhileNothingIsAchieved() {
    Duration last = Duration.ZERO;
    for (int fruitless = 0; fruitless < 20; fruitless++) {
      Decision.Run run =
          new Decision.Run(
              "managed", 4, false, "running", false, false, "always", true, true, null, 2, 2,
              fruitless);
      Decision.Advance advance = (Decision.Advance) Decision.of(run, EXITED, NOW);
      assertThat(advance.fruitless()).isEqualTo(fruitless + 1);
      assertThat(advance.delay()).isBetween(last, Duration.ofMinutes(1));
      last = advance.delay();
    }
    assertThat(last).isEqualTo(Duration.ofMinutes(1));
  }
}
