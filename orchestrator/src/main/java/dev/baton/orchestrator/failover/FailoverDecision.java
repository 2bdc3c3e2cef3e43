/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a signal means for a run. Pure.
 *
 * <pre>
 *   run is                                          then
 *   unknown, ended, paused, cancelled, of another epoch  ignore
 *   external                                        lose (the orchestrator cannot start its runner)
 *   restart: never, and nothing is saved            lose
 *   past its deadline                               lose
 *   to be paused                                    pause (it needs no runner)
 *   dead in one step visit as often as allowed      lose (reason crash_loop: the run has failed)
 *   otherwise                                       advance
 * </pre>
 */
sealed interface FailoverDecision {
  record Ignore(String why) implements FailoverDecision {}

  /**
   * Nothing is decided yet: the trace may have events that the run's row does not include, or an
   * earlier signal of the run is pending.
   */
  record LookAgain() implements FailoverDecision {}

  /**
   * @param reason as in {@code run_lost}
   */
  record Lose(String reason, String detail) implements FailoverDecision {}

  /**
   * Starts a new epoch.
   *
   * @param fruitless number of consecutive failovers without a completed step
   * @param deaths in the same step visit so far
   * @param delay before it begins: a step that kills its runner repeatedly must not cause a busy
   *     loop
   */
  record Advance(int epoch, String reason, int fruitless, RunnerDeathStreak deaths, Duration delay)
      implements FailoverDecision {}

  /** Starts a new epoch without a runner: a pause was requested and can now take effect. */
  record Pause(int epoch, String reason) implements FailoverDecision {}

  /**
   * The run as stored in its row.
   *
   * @param pausing a pause was requested
   * @param paused the run is paused
   * @param begun a runner has started the run
   * @param saved a replacement would not start from the beginning
   * @param alive the runner of this epoch has written to the trace
   * @param active the steps in progress according to the trace
   * @param deaths before this one, in the same step visit
   */
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
      RunnerDeathStreak deaths) {}

  /** Reason of {@code run_lost}. */
  String RESTART_NEVER = "restart_never";

  Duration FIRST_DELAY = Duration.ofMillis(500);
  Duration MAX_DELAY = Duration.ofMinutes(1);
  int FREE_FAILOVERS = 3;

  /** Exit codes of a runner that cannot reach the store or the orchestrator, or the trace topic. */
  int UNAVAILABLE = 69;

  int NO_JOURNAL = 74;

  /** Exit code of an internal error of the runner. */
  int INTERNAL_ERROR = 70;

  /**
   * @param maxDeaths in one step visit; at this number the run fails
   */
  static FailoverDecision of(@Nullable Run run, RunnerSignal signal, Instant now, int maxDeaths) {
    if (run == null) {
      return new Ignore("the run is unknown");
    }
    if (run.ended() || run.desired() != DesiredState.RUNNING) {
      return new Ignore("the run has ended");
    }
    if (run.paused()) {
      return new Ignore("the run is paused");
    }
    if (run.epoch() != signal.epoch()) {
      return new Ignore("epoch " + signal.epoch() + " is over");
    }
    String reason =
        switch (signal) {
          case RunnerSignal.RunnerExited _ -> "runner_exited";
          case RunnerSignal.RunnerLeft _ -> "runner_left";
          case RunnerSignal.HeartbeatsMissed _ -> "heartbeats_missed";
        };
    if (run.kind() == RunKind.EXTERNAL) {
      return new Lose(reason, detail(signal));
    }
    if (run.restart().equals("never") && wouldRepeat(run, signal)) {
      return new Lose(RESTART_NEVER, detail(signal));
    }
    Instant deadline = run.deadline();
    if (deadline != null && !deadline.isAfter(now)) {
      return new Lose(RunDeadlineWatcher.REASON, "the deadline was " + deadline);
    }
    if (run.pausing()) {
      return new Pause(run.epoch() + 1, reason);
    }
    if (signal instanceof RunnerSignal.RunnerLeft) { // No failure.
      return new Advance(run.epoch() + 1, reason, run.fruitless(), run.deaths(), Duration.ZERO);
    }
    boolean progressed = run.completed() > run.completedAtFailover();
    RunnerDeathStreak before = progressed ? RunnerDeathStreak.NONE : run.deaths();
    RunnerDeathStreak deaths = isOfTheRun(run, signal) ? before.next(run.active()) : before;
    if (deaths.count() >= maxDeaths) {
      return new Lose(
          TraceEvent.RunLost.CRASH_LOOP,
          deaths.describe() + "; the last: " + detail(signal) + "; `baton resume` tries again");
    }
    int fruitless = progressed ? 0 : run.fruitless() + 1;
    return new Advance(run.epoch() + 1, reason, fruitless, deaths, delay(fruitless));
  }

  /**
   * Whether the run itself may have caused the end of its runner. A runner that ended before it
   * started the run had another cause (no image, no memory on the host, store unavailable). Such a
   * cause may last and does not count against the run, unless the runner reports an internal error.
   */
  private static boolean isOfTheRun(Run run, RunnerSignal signal) {
    Integer code = signal instanceof RunnerSignal.RunnerExited exited ? exited.exitCode() : null;
    return code == null
        ? run.alive()
        : code == INTERNAL_ERROR || run.alive() && code != UNAVAILABLE && code != NO_JOURNAL;
  }

  /** Whether the trace may contain events of the runner that the row does not include yet. */
  static boolean mayBeBehind(Run run, RunnerSignal signal) {
    return signal instanceof RunnerSignal.RunnerExited && !run.alive() && !run.ended();
  }

  /** A runner that left in good order has published all that it did. */
  private static boolean wouldRepeat(Run run, RunnerSignal signal) {
    return !run.saved() && (run.begun() || !(signal instanceof RunnerSignal.RunnerLeft));
  }

  private static Duration delay(int fruitless) {
    if (fruitless <= FREE_FAILOVERS) {
      return Duration.ZERO;
    }
    return Backoff.bound(FIRST_DELAY, MAX_DELAY, fruitless - FREE_FAILOVERS);
  }

  private static String detail(RunnerSignal signal) {
    return switch (signal) {
      case RunnerSignal.RunnerExited exited ->
          exited.exitCode() == null
              ? "its runner " + exited.runner() + " has ended"
              : "its runner " + exited.runner() + " exited with " + exited.exitCode();
      case RunnerSignal.RunnerLeft left ->
          "its runner " + left.runner() + " has left (" + left.reason() + ")";
      case RunnerSignal.HeartbeatsMissed missed ->
          "its runner " + missed.runner() + " was silent for " + missed.silentMs() + " ms";
    };
  }
}
