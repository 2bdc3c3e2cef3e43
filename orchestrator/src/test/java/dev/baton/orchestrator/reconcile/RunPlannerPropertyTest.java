/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.state.RunStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests what holds for any row and any observation; prints its seed. */
class RunPlannerPropertyTest {
  private static final int TRIES = Integer.getInteger("baton.plans", 50_000);
  private static final RunPlanner PLANNER = new RunPlanner(3);

  private record Case(RunRow row, RunObservation observed, RunPlan plan) {}

  private static void each(Consumer<Case> check) {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    RandomRuns runs = new RandomRuns(random);
    for (int i = 0; i < TRIES; i++) {
      RunRow row = runs.row();
      RunObservation observed = runs.observation(row.control().epoch());
      RunPlan plan = PLANNER.plan(row, observed, RandomRuns.NOW);
      try {
        check.accept(new Case(row, observed, plan));
      } catch (AssertionError e) {
        throw new AssertionError(
            "seed %d, case %d:\n%s\nobserved %s\nplan %s".formatted(seed, i, row, observed, plan),
            e);
      }
    }
  }

  @Test
  void shouldChangeNothingWhenTheSameIsObservedAgain() {
    each(
        c -> {
          // An answer is stored once: its approval's row is compared and set in the transaction.
          if (!(c.observed() instanceof RunObservation.ApprovalAnswered)) {
            RunPlan again = PLANNER.plan(c.plan().after(), c.observed(), RandomRuns.NOW);
            assertThat(again.hasChange()).as("again: %s", again).isFalse();
          }
          assertThat(PLANNER.plan(c.row(), c.observed(), RandomRuns.NOW)).isEqualTo(c.plan());
        });
  }

  @Test
  void shouldNeverTakeAnEpochBackNorSkipOne() {
    each(
        c -> {
          RunControl before = c.row().control();
          RunControl next = c.plan().next();
          assertThat(next.epoch()).isBetween(before.epoch(), before.epoch() + 1);
          assertThat(next.certainEpoch()).isBetween(before.certainEpoch(), next.epoch());
          if (next.epoch() > before.epoch()) {
            assertThat(next.runner()).isNull();
            // A failover is not a decision about a gap.
            assertThat(next.parked())
                .matches(
                    wait ->
                        wait == null
                            || wait.epoch() == RunControl.ParkedWait.GAP
                                && c.observed() instanceof RunObservation.RunnerLost);
            assertThat(next.queued()).isNull();
            assertThat(fences(c.plan())).containsExactly(next.epoch());
            assertThat(c.plan().effects()).contains(new OutboxEffect.Kill(next.epoch()));
          }
        });
  }

  @Test
  void shouldNumberControlEventsWithoutAGap() {
    each(
        c -> {
          List<Long> expected = new ArrayList<>();
          for (long seq = c.row().control().controlSeq() + 1;
              seq <= c.plan().next().controlSeq();
              seq++) {
            expected.add(seq);
          }
          List<Long> seqs = new ArrayList<>();
          for (OutboxEffect effect : c.plan().effects()) {
            if (effect instanceof OutboxEffect.Publish publish) {
              seqs.add(publish.seq());
            }
          }
          assertThat(seqs).isEqualTo(expected);
        });
  }

  @Test
  void shouldPauseAGoingRunAtAGapInItsLog() {
    each(
        c -> {
          RunControl before = c.row().control();
          if (c.observed() instanceof RunObservation.TimePassed
              && c.row().isToPauseAtGap()
              && !c.row().isOverdue(RandomRuns.NOW)) {
            assertThat(c.plan().next().parked()).isNull();
            boolean goesOn =
                c.row().facts().controlGap() != null
                    && !before.ended()
                    && !before.desired().isFinal()
                    && before.desired() != DesiredState.PAUSED
                    && before.status() != RunStatus.PAUSED;
            if (goesOn) {
              assertThat(c.plan().next().pause()).isEqualTo(PauseMode.NOW);
            }
          }
        });
  }

  @Test
  void shouldLaunchARunnerOnlyForTheCurrentEpochOfARunThatWantsOneAfterItsFence() {
    each(
        c -> {
          List<OutboxEffect> effects = c.plan().effects();
          for (OutboxEffect effect : effects) {
            if (effect instanceof OutboxEffect.Launch(int epoch)) {
              assertThat(c.plan().after().wantsRunner(epoch)).isTrue();
              assertThat(fences(c.plan())).containsExactly(epoch);
              assertThat(effects.getLast()).isEqualTo(effect);
            }
          }
        });
  }

  @Test
  void shouldReachTheStateThatWasRequested() {
    each(
        c -> {
          RunControl next = c.plan().next();
          boolean rejected = c.plan().outcome() instanceof RunOutcome.Rejected;
          switch (c.observed()) {
            case RunObservation.CancelRequested _ when !rejected && !next.ended() ->
                assertThat(next.desired()).isEqualTo(DesiredState.CANCELLED);
            case RunObservation.PauseRequested _ when !rejected ->
                assertThat(
                        next.desired() == DesiredState.PAUSED
                            || next.pause() != null
                            || c.row().control().status()
                                == dev.baton.protocol.state.RunStatus.PAUSED)
                    .isTrue();
            case RunObservation.ResumeRequested _ when !rejected ->
                assertThat(next.queued() != null || c.plan().after().wantsRunner(next.epoch()))
                    .isTrue();
            case RunObservation.TimePassed _
                when c.row().isOverdue(RandomRuns.NOW)
                    && c.row().facts().kind() == dev.baton.protocol.trace.RunKind.MANAGED ->
                assertThat(next.queued()).isNull();
            default -> {}
          }
          // Nothing but a resume starts a run that is cancelled or lost.
          if (c.row().control().desired().isFinal()
              && !(c.observed() instanceof RunObservation.ResumeRequested)
              && !(c.observed() instanceof RunObservation.PlaceFreed)) {
            assertThat(next.desired()).isEqualTo(c.row().control().desired());
            assertThat(next.epoch()).isEqualTo(c.row().control().epoch());
          }
        });
  }

  private static List<Integer> fences(RunPlan plan) {
    List<Integer> epochs = new ArrayList<>();
    for (OutboxEffect effect : plan.effects()) {
      if (effect instanceof OutboxEffect.Publish publish
          && publish.type().endsWith("runner_assigned")) {
        epochs.add(publish.data().get("epoch").intValue());
      }
    }
    return epochs;
  }

  @Test
  void shouldReportNoReleaseThatCannotNeedAnotherRunner() {
    int[] reported = new int[1];
    each(
        c -> {
          if (c.observed() instanceof RunObservation.RunnerReleased released
              && c.plan().outcome() instanceof RunOutcome.Reported) {
            reported[0]++;
            assertThat(RunPlanner.mayNeedAnotherRunner(c.row().id(), released)).isTrue();
          }
        });
    assertThat(reported[0]).as("cases that report").isPositive();
    assertThat(
            RunPlanner.mayNeedAnotherRunner(
                "r", new RunObservation.RunnerReleased("a", 1, "completed", null)))
        .isFalse();
  }
}
