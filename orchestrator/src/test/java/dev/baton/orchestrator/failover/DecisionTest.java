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
import java.util.List;
import java.util.TreeSet;
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
        kind,
        4,
        ended,
        desired,
        false,
        false,
        restart,
        true,
        true,
        deadline,
        2,
        1,
        0,
        false,
        new TreeSet<>(),
        Deaths.NONE);
  }

  private static Decision.Run neverRestarted(boolean begun, boolean saved) {
    return new Decision.Run(
        "managed",
        4,
        false,
        "running",
        false,
        false,
        "never",
        begun,
        saved,
        null,
        0,
        0,
        0,
        false,
        new TreeSet<>(),
        Deaths.NONE);
  }

  @Test
  void shouldAdvanceAnOpenRunOfThatEpoch() {
    assertThat(Decision.of(run("managed", false, "running", "always", null), EXITED, NOW, 10))
        .isEqualTo(new Decision.Advance(5, "runner_exited", 0, Deaths.NONE, Duration.ZERO));
    assertThat(Decision.of(run("managed", false, "running", "always", null), SILENT, NOW, 10))
        .isEqualTo(new Decision.Advance(5, "heartbeats_missed", 0, Deaths.NONE, Duration.ZERO));
  }

  @Test
  void shouldIgnoreWhatIsOver() {
    assertThat(Decision.of(null, EXITED, NOW, 10)).isInstanceOf(Decision.Ignore.class);
    assertThat(Decision.of(run("managed", true, "running", "always", null), EXITED, NOW, 10))
        .isInstanceOf(Decision.Ignore.class);
    assertThat(Decision.of(run("managed", false, "cancelled", "always", null), EXITED, NOW, 10))
        .isInstanceOf(Decision.Ignore.class);
    Signal older = new Signal.RunnerExited("r", 3, "p", 137);
    assertThat(Decision.of(run("managed", false, "running", "always", null), older, NOW, 10))
        .isInstanceOf(Decision.Ignore.class);
  }

  @Test
  void shouldLoseWhatCannotGoOn() {
    assertThat(Decision.of(run("external", false, "running", "always", null), SILENT, NOW, 10))
        .isEqualTo(new Decision.Lose("heartbeats_missed", "its runner p was silent for 3100 ms"));
    assertThat(Decision.of(run("managed", false, "running", "always", NOW), EXITED, NOW, 10))
        .isEqualTo(new Decision.Lose("deadline_exceeded", "the deadline was " + NOW));
  }

  @Test
  void shouldLoseARunThatMustNotBeginAgainOnlyWhereItWould() {
    assertThat(Decision.of(neverRestarted(true, false), EXITED, NOW, 10))
        .isEqualTo(new Decision.Lose("restart_never", "its runner p exited with 137"));
    assertThat(Decision.of(neverRestarted(false, false), EXITED, NOW, 10))
        .isEqualTo(new Decision.Lose("restart_never", "its runner p exited with 137"));
    assertThat(Decision.of(neverRestarted(true, true), EXITED, NOW, 10))
        .isInstanceOf(Decision.Advance.class);
    assertThat(Decision.of(neverRestarted(true, false), LEFT, NOW, 10))
        .isEqualTo(new Decision.Lose("restart_never", "its runner p has left (max_lifetime)"));
    assertThat(Decision.of(neverRestarted(true, true), LEFT, NOW, 10))
        .isInstanceOf(Decision.Advance.class);
    assertThat(Decision.of(neverRestarted(false, false), LEFT, NOW, 10))
        .isInstanceOf(Decision.Advance.class);
  }

  @Test
  void shouldNotCountARunnerThatHasLeftInGoodOrderAsAFailure() {
    Decision.Run troubled =
        new Decision.Run(
            "managed",
            4,
            false,
            "running",
            false,
            false,
            "always",
            true,
            true,
            null,
            2,
            2,
            7,
            false,
            new TreeSet<>(),
            Deaths.NONE);
    assertThat(Decision.of(troubled, LEFT, NOW, 10))
        .isEqualTo(new Decision.Advance(5, "runner_left", 7, Deaths.NONE, Duration.ZERO));
  }

  @Test
  void shouldStartNoRunnerForARunThatIsToBePausedOrIs() {
    Decision.Run pausing =
        new Decision.Run(
            "managed",
            4,
            false,
            "running",
            true,
            false,
            "always",
            true,
            true,
            null,
            2,
            1,
            0,
            false,
            new TreeSet<>(),
            Deaths.NONE);
    Decision.Run paused =
        new Decision.Run(
            "managed",
            4,
            false,
            "running",
            true,
            true,
            "always",
            true,
            true,
            null,
            2,
            1,
            0,
            false,
            new TreeSet<>(),
            Deaths.NONE);
    assertThat(Decision.of(pausing, EXITED, NOW, 10))
        .isEqualTo(new Decision.Pause(5, "runner_exited"));
    assertThat(Decision.of(paused, EXITED, NOW, 10)).isInstanceOf(Decision.Ignore.class);
  }

  @Test
  void shouldWaitEverLongerWhileNothingIsAchieved() {
    Duration last = Duration.ZERO;
    for (int fruitless = 0; fruitless < 20; fruitless++) {
      Decision.Run run =
          new Decision.Run(
              "managed",
              4,
              false,
              "running",
              false,
              false,
              "always",
              true,
              true,
              null,
              2,
              2,
              fruitless,
              false,
              new TreeSet<>(),
              Deaths.NONE);
      Decision.Advance advance = (Decision.Advance) Decision.of(run, EXITED, NOW, 10);
      assertThat(advance.fruitless()).isEqualTo(fruitless + 1);
      assertThat(advance.delay()).isBetween(last, Duration.ofMinutes(1));
      last = advance.delay();
    }
    assertThat(last).isEqualTo(Duration.ofMinutes(1));
  }

  private static Decision.Run dying(boolean alive, String active, Deaths before, long completed) {
    return new Decision.Run(
        "managed",
        4,
        false,
        "running",
        false,
        false,
        "always",
        true,
        true,
        null,
        completed,
        2,
        4,
        alive,
        new TreeSet<>(List.of(active)),
        before);
  }

  private static Deaths deaths(int count, String... steps) {
    return new Deaths(count, new TreeSet<>(List.of(steps)));
  }

  @Test
  void shouldFailARunWhoseRunnersDieInOneStepAsOftenAsAllowed() {
    Decision.Run ninth = dying(true, "a", deaths(8, "a"), 2);
    Decision.Run tenth = dying(true, "a", deaths(9, "a"), 2);

    assertThat(Decision.of(ninth, EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            Decision.Advance.class,
            advance -> assertThat(advance.deaths()).isEqualTo(deaths(9, "a")));
    assertThat(Decision.of(tenth, EXITED, NOW, 10))
        .isEqualTo(
            new Decision.Lose(
                "crash_loop",
                "10 runners have died one after the other in step 'a' without progress; the last:"
                    + " its runner p exited with 137; `baton resume` tries again"));
    assertThat(Decision.of(tenth, SILENT, NOW, 10)).isInstanceOf(Decision.Lose.class);
    assertThat(Decision.of(tenth, LEFT, NOW, 10)).isInstanceOf(Decision.Advance.class);
  }

  @Test
  void shouldCountOnlyDeathsThatTheRunMayBeTheReasonOf() {
    Deaths nine = deaths(9, "a");
    for (int code : List.of(69, 74)) {
      Signal away = new Signal.RunnerExited("r", 4, "p", code);
      assertThat(Decision.of(dying(true, "a", nine, 2), away, NOW, 10))
          .isInstanceOfSatisfying(
              Decision.Advance.class, advance -> assertThat(advance.deaths()).isEqualTo(nine));
    }
    assertThat(Decision.of(dying(false, "a", nine, 2), EXITED, NOW, 10))
        .isInstanceOf(Decision.Advance.class);
    Signal broken = new Signal.RunnerExited("r", 4, "p", 70);
    assertThat(Decision.of(dying(false, "a", nine, 2), broken, NOW, 10))
        .isInstanceOf(Decision.Lose.class);
  }

  @Test
  void shouldCountAnewAfterProgressAndInAnotherStep() {
    assertThat(Decision.of(dying(true, "a", deaths(9, "a"), 3), EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            Decision.Advance.class,
            advance -> assertThat(advance.deaths()).isEqualTo(deaths(1, "a")));
    assertThat(Decision.of(dying(true, "b", deaths(9, "a"), 2), EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            Decision.Advance.class,
            advance -> assertThat(advance.deaths()).isEqualTo(deaths(1, "b")));
  }

  @Test
  void shouldFindTheStepThatAllDeathsHaveInCommon() {
    Deaths all =
        Deaths.NONE
            .next(new TreeSet<>())
            .next(new TreeSet<>(List.of("p/0/x", "p/1/y")))
            .next(new TreeSet<>(List.of("p/1/y", "p/2/z")))
            .next(new TreeSet<>());

    assertThat(all).isEqualTo(deaths(4, "p/1/y"));
    assertThat(Deaths.of(4, all.stepsJson())).isEqualTo(all);
    assertThat(Deaths.of(0, null)).isEqualTo(Deaths.NONE);
  }
}
