/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerLost;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.retry.Backoff;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plans what a signal about a lost runner causes: the rows {@code RunnerLost} of the table of
 * {@link RunPlanner}. Pure.
 *
 * @param maxDeaths in one step visit; at this number the run fails
 */
record FailoverPlanner(int maxDeaths) {
  private static final String RESTART_NEVER = "restart_never";
  private static final Duration FIRST_DELAY = Duration.ofMillis(500);
  private static final Duration MAX_DELAY = Duration.ofMinutes(1);

  /** Exit codes of a runner that cannot reach the store or the orchestrator, or the trace topic. */
  private static final int UNAVAILABLE = 69;

  private static final int NO_JOURNAL = 74;

  /** Exit code of an internal error of the runner. */
  private static final int INTERNAL_ERROR = 70;

  RunPlan plan(RunRow row, RunnerLost observed, Instant now) {
    String why = ignored(row, observed, now);
    if (why != null) {
      return RunPlan.none(row, new RunOutcome.Unchanged(why));
    }
    RunPlan plan = decide(row, observed.signal(), now);
    return mustWait(plan, observed) ? RunPlan.none(row, new RunOutcome.LookAgain()) : plan;
  }

  private static @Nullable String ignored(RunRow row, RunnerLost observed, Instant now) {
    RunControl run = row.control();
    if (row.isParked()) {
      return "it is parked and has no runner";
    }
    if (run.queued() != null) {
      return "it is queued and has no runner";
    }
    if (hasReconnected(run, observed, now)) {
      return "its runner has reconnected";
    }
    if (run.ended() || run.desired() != DesiredState.RUNNING) {
      return "the run has ended";
    }
    if (run.status() == RunStatus.PAUSED) {
      return "the run is paused";
    }
    return run.epoch() == observed.signal().epoch()
        ? null
        : "epoch " + observed.signal().epoch() + " is over";
  }

  private static boolean hasReconnected(RunControl run, RunnerLost observed, Instant now) {
    RunControl.Confirmation confirmation = run.confirmation();
    return confirmation != null
        && new ReconnectGuard(confirmation.epoch(), Duration.between(confirmation.at(), now))
            .contradicts(observed.signal(), observed.age());
  }

  private RunPlan decide(RunRow row, RunnerSignal signal, Instant now) {
    RunControl run = row.control();
    String reason = reason(signal);
    if (row.facts().kind() == RunKind.EXTERNAL) {
      return lose(row, reason, detail(signal), now);
    }
    if (row.facts().restart().equals("never") && wouldRepeat(row, signal)) {
      return lose(row, RESTART_NEVER, detail(signal), now);
    }
    if (row.isOverdue(now)) {
      return RunPlanner.deadline(row, now);
    }
    if (run.pause() != null) {
      return pause(row, reason, now);
    }
    long progress = row.facts().progress();
    if (signal instanceof RunnerSignal.RunnerLeft) { // No failure.
      RunControl.FailoverCount count =
          new RunControl.FailoverCount(
              run.failovers().fruitless(), progress, run.failovers().deaths());
      return advance(row, signal, count, Duration.ZERO, now);
    }
    boolean progressed = progress > run.failovers().completed();
    RunnerDeathStreak before = progressed ? RunnerDeathStreak.NONE : run.failovers().deaths();
    RunnerDeathStreak deaths = isOfTheRun(row, signal) ? before.next(row.facts().active()) : before;
    if (deaths.count() >= maxDeaths) {
      return lose(
          row,
          TraceEvent.RunLost.CRASH_LOOP,
          deaths.describe() + "; the last: " + detail(signal) + "; `baton resume` tries again",
          now);
    }
    int fruitless = progressed ? 0 : run.failovers().fruitless() + 1;
    return advance(
        row,
        signal,
        new RunControl.FailoverCount(fruitless, progress, deaths),
        delay(fruitless),
        now);
  }

  /**
   * A run that would be lost since its work is not saved may have saved it; a runner that seems to
   * have died before it started the run may have started it. The trace decides. The signals of a
   * run are handled in order.
   */
  private static boolean mustWait(RunPlan plan, RunnerLost observed) {
    return switch (observed.knowledge()) {
      case CAUGHT_UP -> false;
      case FIRST_LOOK -> plan.before().facts().deferred() || needsTrace(plan, observed.signal());
      case MAYBE_BEHIND -> needsTrace(plan, observed.signal());
    };
  }

  private static boolean needsTrace(RunPlan plan, RunnerSignal signal) {
    return plan.outcome() instanceof RunOutcome.Lost lost && lost.reason().equals(RESTART_NEVER)
        || plan.outcome() instanceof RunOutcome.EpochBegun
            && signal instanceof RunnerSignal.RunnerExited
            && !plan.before().isAlive();
  }

  private static RunPlan advance(
      RunRow row,
      RunnerSignal signal,
      RunControl.FailoverCount count,
      Duration delay,
      Instant now) {
    int epoch = row.control().epoch() + 1;
    String reason = reason(signal);
    RunControl.Change next = row.control().change();
    next.epoch = epoch;
    next.controlSeq++;
    next.runner = null;
    next.parked = row.waitOfNextEpoch();
    next.status =
        switch (next.status) {
          case STARTING, RUNNING, WAITING, RESUMING -> RunStatus.INTERRUPTED;
          default -> next.status;
        };
    next.failovers = count;
    next.nextAttemptAt = delay.isZero() ? null : now.plus(delay);
    return RunPlan.of(
            row,
            next,
            OutboxEffect.newEpoch(
                new TraceEvent.RunnerAssigned(epoch, null, reason), next.controlSeq, now),
            new RunOutcome.EpochBegun(epoch, reason, delay))
        .delayed(delay)
        .after(LastRunnerExit.of(signal, now));
  }

  /** The run lost its runner before that could pause it. */
  private static RunPlan pause(RunRow row, String reason, Instant now) {
    int epoch = row.control().epoch() + 1;
    RunControl.Change next = row.control().change();
    long seq = next.controlSeq + 1;
    next.epoch = epoch;
    next.controlSeq = seq + 1;
    next.desired = DesiredState.PAUSED;
    next.runner = null;
    next.parked = row.waitOfNextEpoch();
    next.nextAttemptAt = null;
    return RunPlan.of(
        row,
        next,
        OutboxEffect.pausedEpoch(new TraceEvent.RunnerAssigned(epoch, null, reason), seq, now),
        new RunOutcome.EpochPaused(epoch, reason));
  }

  /** Declares a run lost and kills the rest of its runner. */
  static RunPlan lose(RunRow row, String reason, String detail, Instant now) {
    RunControl.Change next = row.control().change();
    next.controlSeq++;
    next.desired = DesiredState.LOST;
    next.queued = null;
    next.parked = null;
    next.nextAttemptAt = null;
    return RunPlan.now(
        row,
        next,
        List.of(
            OutboxEffect.publish(new TraceEvent.RunLost(reason, detail), next.controlSeq, now),
            new OutboxEffect.Kill(next.epoch + 1)),
        new RunOutcome.Lost(reason, detail));
  }

  /**
   * Whether the run itself may have caused the end of its runner. A runner that ended before it
   * started the run had another cause (no image, no memory on the host, store unavailable). Such a
   * cause may last and does not count against the run, unless the runner reports an internal error.
   */
  private static boolean isOfTheRun(RunRow row, RunnerSignal signal) {
    Integer code = signal instanceof RunnerSignal.RunnerExited exited ? exited.exitCode() : null;
    return code == null
        ? row.isAlive()
        : code == INTERNAL_ERROR || row.isAlive() && code != UNAVAILABLE && code != NO_JOURNAL;
  }

  /** A runner that left in good order has published all that it did. */
  private static boolean wouldRepeat(RunRow row, RunnerSignal signal) {
    boolean begun = row.facts().startedEpoch() > 0;
    return !row.facts().saved() && (begun || !(signal instanceof RunnerSignal.RunnerLeft));
  }

  private static Duration delay(int fruitless) {
    if (fruitless <= RunPlanner.FREE_FAILOVERS) {
      return Duration.ZERO;
    }
    return Backoff.bound(FIRST_DELAY, MAX_DELAY, fruitless - RunPlanner.FREE_FAILOVERS);
  }

  private static String reason(RunnerSignal signal) {
    return switch (signal) {
      case RunnerSignal.RunnerExited _ -> "runner_exited";
      case RunnerSignal.RunnerLeft _ -> "runner_left";
      case RunnerSignal.HeartbeatsMissed _ -> "heartbeats_missed";
    };
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
