/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailoverPlannerTest {
  /** What a signal causes, and of the row what decides that. */
  private sealed interface Failover {
    record Ignore() implements Failover {}

    record Lose(String reason, String detail) implements Failover {}

    record Advance(
        int epoch, String reason, int fruitless, RunnerDeathStreak deaths, Duration delay)
        implements Failover {}

    record Pause(int epoch, String reason) implements Failover {}

    record Run(
        RunKind kind,
        int epoch,
        boolean ended,
        DesiredState desired,
        boolean pausing,
        boolean paused,
        String restart,
        boolean begun,
        boolean saved,
        @Nullable Instant deadline,
        long completed,
        long completedAtFailover,
        int fruitless,
        boolean alive,
        SortedSet<String> active,
        RunnerDeathStreak deaths) {
      RunRow row() {
        return new RunRow(
            "r",
            new RunControl(
                epoch,
                1,
                7,
                desired,
                pausing ? PauseMode.STEP : null,
                paused ? RunStatus.PAUSED : RunStatus.RUNNING,
                ended,
                "p",
                null,
                null,
                new RunControl.FailoverCount(fruitless, completedAtFailover, deaths),
                null,
                null,
                null),
            new RunRow.Facts(
                kind,
                restart,
                deadline,
                "w",
                "hash",
                false,
                true,
                false,
                false,
                false,
                alive ? epoch : begun ? 1 : 0,
                saved,
                completed,
                active,
                null));
      }
    }

    static Failover of(Run run, RunnerSignal signal, Instant now, int maxDeaths) {
      RunPlan plan =
          new RunPlanner(maxDeaths)
              .plan(
                  run.row(),
                  new RunObservation.RunnerLost(
                      signal, Duration.ZERO, RunObservation.TraceKnowledge.CAUGHT_UP),
                  now);
      return switch (plan.outcome()) {
        case RunOutcome.Unchanged _ -> new Ignore();
        case RunOutcome.Lost(String reason, String detail) -> new Lose(reason, detail);
        case RunOutcome.EpochPaused(int epoch, String reason) -> new Pause(epoch, reason);
        case RunOutcome.EpochBegun(int epoch, String reason, Duration delay) ->
            new Advance(
                epoch,
                reason,
                plan.next().failovers().fruitless(),
                plan.next().failovers().deaths(),
                delay);
        default -> throw new AssertionError(plan.outcome());
      };
    }
  }

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final RunnerSignal EXITED = new RunnerSignal.RunnerExited("r", 4, "p", 137);
  private static final RunnerSignal LEFT = new RunnerSignal.RunnerLeft("r", 4, "p", "max_lifetime");
  private static final RunnerSignal SILENT =
      new RunnerSignal.HeartbeatsMissed("r", 4, "p", 3_100, 3_000);

  private static Failover.Run run(
      RunKind kind,
      boolean ended,
      DesiredState desired,
      String restart,
      @Nullable Instant deadline) {
    return new Failover.Run(
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

  private static Failover.Run neverRestarted(boolean begun, boolean saved) {
    return new Failover.Run(
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
            Failover.of(
                run(RunKind.MANAGED, false, DesiredState.RUNNING, "always", null), EXITED, NOW, 10))
        .isEqualTo(
            new Failover.Advance(5, "runner_exited", 0, RunnerDeathStreak.NONE, Duration.ZERO));
    assertThat(
            Failover.of(
                run(RunKind.MANAGED, false, DesiredState.RUNNING, "always", null), SILENT, NOW, 10))
        .isEqualTo(
            new Failover.Advance(5, "heartbeats_missed", 0, RunnerDeathStreak.NONE, Duration.ZERO));
  }

  @Test
  void shouldIgnoreWhatIsOver() {
    assertThat(
            Failover.of(
                run(RunKind.MANAGED, true, DesiredState.RUNNING, "always", null), EXITED, NOW, 10))
        .isInstanceOf(Failover.Ignore.class);
    assertThat(
            Failover.of(
                run(RunKind.MANAGED, false, DesiredState.CANCELLED, "always", null),
                EXITED,
                NOW,
                10))
        .isInstanceOf(Failover.Ignore.class);
    RunnerSignal older = new RunnerSignal.RunnerExited("r", 3, "p", 137);
    assertThat(
            Failover.of(
                run(RunKind.MANAGED, false, DesiredState.RUNNING, "always", null), older, NOW, 10))
        .isInstanceOf(Failover.Ignore.class);
  }

  @Test
  void shouldLoseWhatCannotGoOn() {
    assertThat(
            Failover.of(
                run(RunKind.EXTERNAL, false, DesiredState.RUNNING, "always", null),
                SILENT,
                NOW,
                10))
        .isEqualTo(new Failover.Lose("heartbeats_missed", "its runner p was silent for 3100 ms"));
    assertThat(
            Failover.of(
                run(RunKind.MANAGED, false, DesiredState.RUNNING, "always", NOW), EXITED, NOW, 10))
        .isEqualTo(new Failover.Lose("deadline_exceeded", "the deadline was " + NOW));
  }

  @Test
  void shouldLoseARunThatMustNotBeginAgainOnlyWhereItWould() {
    assertThat(Failover.of(neverRestarted(true, false), EXITED, NOW, 10))
        .isEqualTo(new Failover.Lose("restart_never", "its runner p exited with 137"));
    assertThat(Failover.of(neverRestarted(false, false), EXITED, NOW, 10))
        .isEqualTo(new Failover.Lose("restart_never", "its runner p exited with 137"));
    assertThat(Failover.of(neverRestarted(true, true), EXITED, NOW, 10))
        .isInstanceOf(Failover.Advance.class);
    assertThat(Failover.of(neverRestarted(true, false), LEFT, NOW, 10))
        .isEqualTo(new Failover.Lose("restart_never", "its runner p has left (max_lifetime)"));
    assertThat(Failover.of(neverRestarted(true, true), LEFT, NOW, 10))
        .isInstanceOf(Failover.Advance.class);
    assertThat(Failover.of(neverRestarted(false, false), LEFT, NOW, 10))
        .isInstanceOf(Failover.Advance.class);
  }

  @Test
  void shouldNotCountARunnerThatHasLeftInGoodOrderAsAFailure() {
    Failover.Run troubled =
        new Failover.Run(
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
    assertThat(Failover.of(troubled, LEFT, NOW, 10))
        .isEqualTo(
            new Failover.Advance(5, "runner_left", 7, RunnerDeathStreak.NONE, Duration.ZERO));
  }

  @Test
  void shouldStartNoRunnerForARunThatIsToBePausedOrIs() {
    Failover.Run pausing =
        new Failover.Run(
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
    Failover.Run paused =
        new Failover.Run(
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
    assertThat(Failover.of(pausing, EXITED, NOW, 10))
        .isEqualTo(new Failover.Pause(5, "runner_exited"));
    assertThat(Failover.of(paused, EXITED, NOW, 10)).isInstanceOf(Failover.Ignore.class);
  }

  @Test
  void shouldWaitEverLongerWhileNothingIsAchieved() {
    Duration last = Duration.ZERO;
    for (int fruitless = 0; fruitless < 20; fruitless++) {
      Failover.Run run =
          new Failover.Run(
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
      Failover.Advance advance = (Failover.Advance) Failover.of(run, EXITED, NOW, 10);
      assertThat(advance.fruitless()).isEqualTo(fruitless + 1);
      assertThat(advance.delay()).isBetween(last, Duration.ofMinutes(1));
      last = advance.delay();
    }
    assertThat(last).isEqualTo(Duration.ofMinutes(1));
  }

  private static Failover.Run dying(
      boolean alive, String active, RunnerDeathStreak before, long completed) {
    return new Failover.Run(
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
    Failover.Run ninth = dying(true, "a", deaths(8, "a"), 2);
    Failover.Run tenth = dying(true, "a", deaths(9, "a"), 2);

    assertThat(Failover.of(ninth, EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            Failover.Advance.class,
            advance -> assertThat(advance.deaths()).isEqualTo(deaths(9, "a")));
    assertThat(Failover.of(tenth, EXITED, NOW, 10))
        .isEqualTo(
            new Failover.Lose(
                "crash_loop",
                "10 runners have died in a row in step 'a' without progress; the last:"
                    + " its runner p exited with 137; `baton resume` tries again"));
    assertThat(Failover.of(tenth, SILENT, NOW, 10)).isInstanceOf(Failover.Lose.class);
    assertThat(Failover.of(tenth, LEFT, NOW, 10)).isInstanceOf(Failover.Advance.class);
  }

  @Test
  void shouldCountOnlyDeathsThatTheRunMayBeTheReasonOf() {
    RunnerDeathStreak nine = deaths(9, "a");
    for (int code : List.of(69, 74)) {
      RunnerSignal away = new RunnerSignal.RunnerExited("r", 4, "p", code);
      assertThat(Failover.of(dying(true, "a", nine, 2), away, NOW, 10))
          .isInstanceOfSatisfying(
              Failover.Advance.class, advance -> assertThat(advance.deaths()).isEqualTo(nine));
    }
    assertThat(Failover.of(dying(false, "a", nine, 2), EXITED, NOW, 10))
        .isInstanceOf(Failover.Advance.class);
    RunnerSignal broken = new RunnerSignal.RunnerExited("r", 4, "p", 70);
    assertThat(Failover.of(dying(false, "a", nine, 2), broken, NOW, 10))
        .isInstanceOf(Failover.Lose.class);
  }

  @Test
  void shouldCountAnewAfterProgressAndInAnotherStep() {
    assertThat(Failover.of(dying(true, "a", deaths(9, "a"), 3), EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            Failover.Advance.class,
            advance -> assertThat(advance.deaths()).isEqualTo(deaths(1, "a")));
    assertThat(Failover.of(dying(true, "b", deaths(9, "a"), 2), EXITED, NOW, 10))
        .isInstanceOfSatisfying(
            Failover.Advance.class,
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
