/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.reconcile.RunObservation.RunnerAttached;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerReconnected;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerReleased;
import dev.baton.orchestrator.reconcile.RunOutcome.Replied;
import dev.baton.orchestrator.reconcile.RunOutcome.RunnerReply;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.RunKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plans the answers to messages of runners: the rows {@code RunnerAttached}, {@code
 * RunnerReconnected} and {@code RunnerReleased} of the table of {@link RunPlanner}. Pure.
 */
final class RunnerPlanner {
  /** The exit codes that a runner of this single run would have ended with. */
  private static final int INTERNAL_ERROR = 70;

  private static final int UNAVAILABLE = 69;

  private RunnerPlanner() {}

  static RunPlan attached(RunRow row, RunnerAttached observed) {
    RunnerAttached.HeldRun held = observed.held();
    return RunPlan.none(
        row, held == null ? missing(row, observed.caughtUp()) : new Replied(reply(row, held)));
  }

  private static RunnerReply reply(RunRow row, RunnerAttached.HeldRun held) {
    if (row.wantsRunner(held.epoch())) {
      return held.started() ? RunnerReply.MISSED_MESSAGES : RunnerReply.ASSIGN;
    }
    return held.started() && isCancelled(row, held.epoch())
        ? RunnerReply.CANCEL
        : RunnerReply.FENCE;
  }

  /** The run is assigned to the runner, which does not report it. */
  private static RunOutcome missing(RunRow row, boolean caughtUp) {
    int epoch = row.control().epoch();
    String runner = row.control().runner();
    if (runner == null || !row.wantsRunner(epoch)) {
      return new Replied(RunnerReply.NONE);
    }
    if (!caughtUp) {
      return new Replied(RunnerReply.CATCH_UP);
    }
    return row.isAlive()
        ? new RunOutcome.Reported(new RunnerSignal.RunnerExited(row.id(), epoch, runner, null))
        : new Replied(RunnerReply.ASSIGN);
  }

  /**
   * A run that has ended in this epoch has no other runner, so its runner may still complete the
   * end. A pause counts as an end. Another runner than that of the run confirms nothing.
   */
  static RunPlan reconnected(RunRow row, RunnerReconnected observed, Instant now) {
    int epoch = observed.epoch();
    String runner = row.control().runner();
    if (row.control().epoch() == epoch
        && (runner == null || runner.equals(observed.runner()))
        && row.control().desired() == DesiredState.RUNNING
        && row.facts().kind() == RunKind.MANAGED) {
      RunControl.Change next = row.control().change();
      next.confirmation = new RunControl.Confirmation(epoch, now);
      return new RunPlan(
          row,
          next.done(),
          List.of(),
          Duration.ZERO,
          false,
          null,
          new Replied(RunnerReply.CONFIRM));
    }
    return RunPlan.none(
        row, new Replied(isCancelled(row, epoch) ? RunnerReply.CANCEL : RunnerReply.FENCE));
  }

  private static boolean isCancelled(RunRow row, int epoch) {
    return row.control().epoch() == epoch && row.control().desired() == DesiredState.CANCELLED;
  }

  /** The runner stops but the run continues: another runner must take over. */
  static RunPlan released(RunRow row, RunnerReleased observed) {
    RunnerSignal signal = signal(row.id(), observed);
    if (signal != null
        && row.wantsRunner(observed.epoch())
        && observed.runner().equals(row.control().runner())) {
      return RunPlan.none(row, new RunOutcome.Reported(signal));
    }
    return RunPlan.none(row, new RunOutcome.Unchanged("it needs no other runner"));
  }

  /**
   * The signal of a release, if the run still wants a runner; null if its outcome ends the need.
   */
  static @Nullable RunnerSignal signal(String run, RunnerReleased observed) {
    String leaving = observed.leaving();
    return switch (observed.outcome()) {
      case "stopped" ->
          leaving == null
              ? exited(run, observed, null)
              : new RunnerSignal.RunnerLeft(run, observed.epoch(), observed.runner(), leaving);
      case "broken" -> exited(run, observed, INTERNAL_ERROR);
      case "unavailable" -> exited(run, observed, UNAVAILABLE);
      default -> null; // The run no longer needs a runner.
    };
  }

  private static RunnerSignal exited(
      String run, RunnerReleased observed, @Nullable Integer exitCode) {
    return new RunnerSignal.RunnerExited(run, observed.epoch(), observed.runner(), exitCode);
  }
}
