/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.RunKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailoverDecisionTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final RunnerSignal EXITED = new RunnerSignal.RunnerExited("r", 4, "p", 137);
  private static final RunnerSignal LEFT = new RunnerSignal.RunnerLeft("r", 4, "p", "max_lifetime");
  private static final RunnerSignal SILENT =
      new RunnerSignal.HeartbeatsMissed("r", 4, "p", 3_100, 3_000);

  private static FailoverDecision.Run run(
      RunKind kind,
      boolean ended,
      DesiredState desired,
      String restart,
      @Nullable Instant deadline) {
    return new FailoverDecision.Run(
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
        RunnerDeathStreak.NONE);
  }

  private static FailoverDecision.Run neverRestarted(boolean begun, boolean saved) {
    return new FailoverDecision.Run(
        RunKind.MANAGED,
        4,
        false,
        DesiredState.RUNNING,
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
        RunnerDeathStreak.NONE);
  }

  @Test
  void shouldAdvanceAnOpenRunOfThatEpoch() {
    assertThat(
            FailoverDecision.of(
                run(RunKind.MANAGED, false, DesiredState.RUNNING, "always", null), EXITED, NOW, 10))
        .isEqualTo(
            new FailoverDecision.Advance(
                5, "runner_exited", 0, RunnerDeathStreak.NONE, Duration.ZERO));
    assertThat(
            FailoverDecision.of(
                run(RunKind.MANAGED, false, DesiredState.RUNNING, "always", null), SILENT, NOW, 10))
        .isEqualTo(
            new FailoverDecision.Advance(
                5, "heartbeats_missed", 0, RunnerDeathStreak.NONE, Duration.ZERO));
  }

  @Test
  void shouldIgnoreWhatIsOver() {
    assertThat(FailoverDecision.of(null, EXITED, NOW, 10))
        .isInstanceOf(FailoverDecision.Ignore.class);
    assertThat(
            FailoverDecision.of(
                run(RunKind.MANAGED, true, DesiredState.RUNNING, "always", null), EXITED, NOW, 10))
        .isInstanceOf(FailoverDecision.Ignore.class);
    assertThat(
            FailoverDecision.of(
                run(RunKind.MANAGED, false, DesiredState.CANCELLED, "always", null),
                EXITED,
                NOW,
                10))
        .isInstanceOf(FailoverDecision.Ignore.class);
    RunnerSignal older = new RunnerSignal.RunnerExited("r", 3, "p", 137);
    assertThat(
            FailoverDecision.of(
                run(RunKind.MANAGED, false, DesiredState.RUNNING, "always", null), older, NOW, 10))
        .isInstanceOf(FailoverDecision.Ignore.class);
  }

  @Test
  void shouldLoseWhatCannotGoOn() {
    assertThat(
            FailoverDecision.of(
                run(RunKind.EXTERNAL, false, DesiredState.RUNNING, "always", null),
                SILENT,
                NOW,
                10))
        .isEqualTo(
            new FailoverDecision.Lose("heartbeats_missed", "its runner p was silent for 3100 ms"));
    assertThat(
            FailoverDecision.of(
                run(RunKind.MANAGED, false, DesiredState.RUNNING, "always", NOW), EXITED, NOW, 10))
        .isEqualTo(new FailoverDecision.Lose("deadline_exceeded", "the deadline was " + NOW));
  }

  @Test
  void shouldLoseARunThatMustNotBeginAgainOnlyWhereItWould() {
    assertThat(FailoverDecision.of(neverRestarted(true, false), EXITED, NOW, 10))
        .isEqualTo(new FailoverDecision.Lose("restart_never", "its runner p exited with 137"));
    assertThat(FailoverDecision.of(neverRestarted(false, false), EXITED, NOW, 10))
        .isEqualTo(new FailoverDecision.Lose("restart_never", "its runner p exited with 137"));
    assertThat(FailoverDecision.of(neverRestarted(true, true), EXITED, NOW, 10))
        .isInstanceOf(FailoverDecision.Advance.class);
    assertThat(FailoverDecision.of(neverRestarted(true, false), LEFT, NOW, 10))
        .isEqualTo(
            new FailoverDecision.Lose("restart_never", "its runner p has left (max_lifetime)"));
    assertThat(FailoverDecision.of(neverRestarted(true, true), LEFT, NOW, 10))
        .isInstanceOf(FailoverDecision.Advance.class);
    assertThat(FailoverDecision.of(neverRestarted(false, false), LEFT, NOW, 10))
        .isInstanceOf(FailoverDecision.Advance.class);
  }

  @Test
  void shouldNotCountARunnerThatHasLeftInGoodOrderAsAFailure() {
    FailoverDecision.Run troubled =
        new FailoverDecision.Run(
            RunKind.MANAGED,
            4,
            false,
            DesiredState.RUNNING,
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
            RunnerDeathStreak.NONE);
    assertThat(FailoverDecision.of(troubled, LEFT, NOW, 10))
        .isEqualTo(
            new FailoverDecision.Advance(
                5, "runner_left", 7, RunnerDeathStreak.NONE, Duration.ZERO));
  }

  @Test
  void shouldStartNoRunnerForARunThatIsToBePausedOrIs() {
    FailoverDecision.Run pausing =
        new FailoverDecision.Run(
            RunKind.MANAGED,
            4,
            false,
            DesiredState.RUNNING,
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
            RunnerDeathStreak.NONE);
    FailoverDecision.Run paused =
        new FailoverDecision.Run(
            RunKind.MANAGED,
            4,
            false,
            DesiredState.RUNNING,
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
            RunnerDeathStreak.NONE);
    assertThat(FailoverDecision.of(pausing, EXITED, NOW, 10))
        .isEqualTo(new FailoverDecision.Pause(5, "runner_exited"));
    assertThat(FailoverDecision.of(paused, EXITED, NOW, 10))
        .isInstanceOf(FailoverDecision.Ignore.class);
  }

  @Test
  void shouldWaitEverLongerWhileNothingIsAchieved() {
    Duration last = Duration.ZERO;
    for (int fruitless = 0; fruitless < 20; fruitless++) {
      FailoverDecision.Run run =
          new FailoverDecision.Run(
              RunKind.MANAGED,
              4,
              false,
              DesiredState.RUNNING,
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
              RunnerDeathStreak.NONE);
      FailoverDecision.Advance advance =
          (FailoverDecision.Advance) FailoverDecision.of(run, EXITED, NOW, 10);
      assertThat(advance.fruitless()).isEqualTo(fruitless + 1);
      assertThat(advance.delay()).isBetween(last, Duration.ofMinutes(1));
      last = advance.delay();
    }
    assertThat(last).isEqualTo(Duration.ofMinutes(1));
  }

  private static FailoverDecision.Run dying(
      boolean alive, String active, RunnerDeathStreak before, long completed) {
    return new FailoverDecision.Run(
        RunKind.MANAGED,
        4,
        false,
        DesiredState.RUNNING,
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

  private static RunnerDeathStreak deaths(int count, String... steps) {
    return new RunnerDeathStreak(count, new TreeSet<>(List.of(steps)));
  }

  @Test
  void shouldFailARunWhoseRunnersDieInOneStepAsOftenAsAllowed() {
    FailoverDecision.Run ninth = dying(true, "a", deaths(8, "a"), 2);
    FailoverDecision.Run tenth = dying(true, "a", deaths(9, "a"), 2);

    assertThat(FailoverDecision.of(ninth, EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            FailoverDecision.Advance.class,
            advance -> assertThat(advance.deaths()).isEqualTo(deaths(9, "a")));
    assertThat(FailoverDecision.of(tenth, EXITED, NOW, 10))
        .isEqualTo(
            new FailoverDecision.Lose(
                "crash_loop",
                "10 runners have died in a row in step 'a' without progress; the last:"
                    + " its runner p exited with 137; `baton resume` tries again"));
    assertThat(FailoverDecision.of(tenth, SILENT, NOW, 10))
        .isInstanceOf(FailoverDecision.Lose.class);
    assertThat(FailoverDecision.of(tenth, LEFT, NOW, 10))
        .isInstanceOf(FailoverDecision.Advance.class);
  }

  @Test
  void shouldCountOnlyDeathsThatTheRunMayBeTheReasonOf() {
    RunnerDeathStreak nine = deaths(9, "a");
    for (int code : List.of(69, 74)) {
      RunnerSignal away = new RunnerSignal.RunnerExited("r", 4, "p", code);
      assertThat(FailoverDecision.of(dying(true, "a", nine, 2), away, NOW, 10))
          .isInstanceOfSatisfying(
              FailoverDecision.Advance.class,
              advance -> assertThat(advance.deaths()).isEqualTo(nine));
    }
    assertThat(FailoverDecision.of(dying(false, "a", nine, 2), EXITED, NOW, 10))
        .isInstanceOf(FailoverDecision.Advance.class);
    RunnerSignal broken = new RunnerSignal.RunnerExited("r", 4, "p", 70);
    assertThat(FailoverDecision.of(dying(false, "a", nine, 2), broken, NOW, 10))
        .isInstanceOf(FailoverDecision.Lose.class);
  }

  @Test
  void shouldCountAnewAfterProgressAndInAnotherStep() {
    assertThat(FailoverDecision.of(dying(true, "a", deaths(9, "a"), 3), EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            FailoverDecision.Advance.class,
            advance -> assertThat(advance.deaths()).isEqualTo(deaths(1, "a")));
    assertThat(FailoverDecision.of(dying(true, "b", deaths(9, "a"), 2), EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            FailoverDecision.Advance.class,
            advance -> assertThat(advance.deaths()).isEqualTo(deaths(1, "b")));
  }

  @Test
  void shouldFindTheStepThatAllDeathsHaveInCommon() {
    RunnerDeathStreak all =
        RunnerDeathStreak.NONE
            .next(new TreeSet<>())
            .next(new TreeSet<>(List.of("p/0/x", "p/1/y")))
            .next(new TreeSet<>(List.of("p/1/y", "p/2/z")))
            .next(new TreeSet<>());

    assertThat(all).isEqualTo(deaths(4, "p/1/y"));
    assertThat(RunnerDeathStreak.of(4, all.stepsJson())).isEqualTo(all);
    assertThat(RunnerDeathStreak.of(0, null)).isEqualTo(RunnerDeathStreak.NONE);
  }
}
