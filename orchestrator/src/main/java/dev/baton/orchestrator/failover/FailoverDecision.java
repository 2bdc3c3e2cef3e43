/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * What a signal means for a run. Pure.
 *
 * <pre>
 *   run is                                          then
 *   unknown, ended, paused, cancelled, of another epoch  ignore
 *   external                                        lose (nobody here can start its runner)
 *   restart: never, and nothing is saved            lose
 *   past its deadline                               lose
 *   to be paused                                    pause (nobody needs to carry it)
 *   dead in one step visit as often as allowed      lose (reason crash_loop: the run has failed)
 *   anything else                                   advance
 * </pre>
 */
sealed interface FailoverDecision {
  record Ignore(String why) implements FailoverDecision {}

  /** Nothing is done yet: the log may say more than what this was decided by. */
  record LookAgain() implements FailoverDecision {}

  /**
   * @param reason as in {@code run_lost}
   */
  record Lose(String reason, String detail) implements FailoverDecision {}

  /**
   * A new epoch.
   *
   * @param fruitless how many failovers in a row have brought no completed step
   * @param deaths in the same step visit so far
   * @param delay before it begins; a step that kills its runner again and again must not spin
   */
  record Advance(int epoch, String reason, int fruitless, RunnerDeathStreak deaths, Duration delay)
      implements FailoverDecision {}

  /**
   * A new epoch that no runner gets: a pause was asked for, and nothing is in the way of it now.
   */
  record Pause(int epoch, String reason) implements FailoverDecision {}

  /**
   * The run as its row says.
   *
   * @param pausing a pause was asked for
   * @param paused it is
   * @param begun a runner has started on it
   * @param saved a replacement would not begin from the beginning
   * @param alive the runner of this epoch has written to the trace
   * @param active the steps in progress, as far as the trace says
   * @param deaths before this one, in the same step visit
   */
  record Run(
      String kind,
      int epoch,
      boolean ended,
      String desired,
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

  /** As in {@code run_lost}. */
  String RESTART_NEVER = "restart_never";

  Duration FIRST_DELAY = Duration.ofMillis(500);
  Duration MAX_DELAY = Duration.ofMinutes(1);
  int FREE_FAILOVERS = 3;

  /** Exit codes of runners: the store, the orchestrator or the log could not be reached. */
  int UNAVAILABLE = 69;

  int NO_JOURNAL = 74;

  /** An error that is the runner's own. */
  int INTERNAL_ERROR = 70;

  /**
   * @param maxDeaths in one step visit; with as many the run has failed
   */
  static FailoverDecision of(@Nullable Run run, RunnerSignal signal, Instant now, int maxDeaths) {
    if (run == null) {
      return new Ignore("unknown run");
    }
    if (run.ended() || !run.desired().equals("running")) {
      return new Ignore("it has ended");
    }
    if (run.paused()) {
      return new Ignore("it is paused");
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
    if (run.kind().equals("external")) {
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
    if (signal instanceof RunnerSignal.RunnerLeft) { // Nothing has gone wrong.
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
   * Whether the run's own work may have ended its runner. One that never came to the run died of
   * something else (no image, no memory on the host, a store that is away), which may last and is
   * no reason to give up; unless it says that an error of its own is why.
   */
  private static boolean isOfTheRun(Run run, RunnerSignal signal) {
    Integer code = signal instanceof RunnerSignal.RunnerExited exited ? exited.exitCode() : null;
    return code == null
        ? run.alive()
        : code == INTERNAL_ERROR || run.alive() && code != UNAVAILABLE && code != NO_JOURNAL;
  }

  /** Whether the trace may say more of the runner than what is known here. */
  static boolean mayBeBehind(Run run, RunnerSignal signal) {
    return signal instanceof RunnerSignal.RunnerExited && !run.alive() && !run.ended();
  }

  /** One that has left in good order has told of all that it did. */
  private static boolean wouldRepeat(Run run, RunnerSignal signal) {
    return !run.saved() && (run.begun() || !(signal instanceof RunnerSignal.RunnerLeft));
  }

  private static Duration delay(int fruitless) {
    if (fruitless <= FREE_FAILOVERS) {
      return Duration.ZERO;
    }
    Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(fruitless - FREE_FAILOVERS - 1, 10));
    return delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : delay;
  }

  private static String detail(RunnerSignal signal) {
    return switch (signal) {
      case RunnerSignal.RunnerExited exited ->
          exited.exitCode() == null
              ? "its runner " + exited.runner() + " has gone"
              : "its runner " + exited.runner() + " exited with " + exited.exitCode();
      case RunnerSignal.RunnerLeft left ->
          "its runner " + left.runner() + " has left (" + left.reason() + ")";
      case RunnerSignal.HeartbeatsMissed missed ->
          "its runner " + missed.runner() + " was silent for " + missed.silentMs() + " ms";
    };
  }
}
