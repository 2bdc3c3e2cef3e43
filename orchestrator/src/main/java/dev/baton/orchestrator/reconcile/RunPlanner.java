/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.reconcile.RunObservation.ApprovalAnswered;
import dev.baton.orchestrator.reconcile.RunObservation.CancelRequested;
import dev.baton.orchestrator.reconcile.RunObservation.HurryRequested;
import dev.baton.orchestrator.reconcile.RunObservation.PauseRequested;
import dev.baton.orchestrator.reconcile.RunObservation.PlaceFreed;
import dev.baton.orchestrator.reconcile.RunObservation.ResumeRequested;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerAttached;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerLost;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerReconnected;
import dev.baton.orchestrator.reconcile.RunObservation.RunnerReleased;
import dev.baton.orchestrator.reconcile.RunObservation.TimePassed;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.protocol.state.ControlGap;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides what must happen to a run now. Pure: the same row, observation and time yield the same
 * plan, and after a plan was performed the same observation changes nothing.
 *
 * <pre>
 *   observed           the run is                                then
 *   RunnerLost         parked, queued, ended, paused, cancelled,
 *                      of another epoch, confirmed since         nothing
 *                      external                                  lost
 *                      restart: never, and nothing is saved      lost, when the trace was read
 *                      past its deadline                         lost
 *                      to be paused                              next epoch, paused without a runner
 *                      dead in one step as often as allowed      lost (crash_loop)
 *                      otherwise                                 next epoch, delayed in a crash loop
 *   TimePassed         past its deadline, and no runner ends it  lost; if ended: out of the queue
 *                      parked until now                          next epoch; if to be paused: paused
 *   PlaceFreed         queued                                    its queued epoch
 *   ApprovalAnswered   open                                      answer published; if parked: next epoch
 *   CancelRequested    open                                      cancelled, its runner is stopped
 *                      ended and queued                          out of the queue
 *                      ended                                     rejected
 *   PauseRequested     open, with a runner                       to be paused by its runner
 *                      open, without a runner                    paused
 *                      paused                                    out of the queue
 *                      ended, external                           rejected
 *   HurryRequested     delayed in a crash loop                   its delayed epoch at once
 *   ResumeRequested    failed, lost, paused, abandoned           next epoch, queued under a limit
 *                      otherwise                                 rejected
 *   RunnerReconnected  in this epoch, to run                     confirmed
 *                      in this epoch, cancelled                  cancel
 *                      otherwise                                 fence
 *   RunnerAttached     requested, in this epoch, open            assign
 *                      carried, in this epoch, open              all answers again, and to pause
 *                      carried, cancelled                        cancel
 *                      in another epoch, ended                   fence
 *                      assigned to it, not begun                 assign: it never received it
 *                      assigned to it, begun                     loss reported, when the trace was read
 *   RunnerReleased     carried by it, open                       loss reported
 * </pre>
 *
 * <p>No plan lowers an epoch. A next epoch is the present one plus one, and its first effects are
 * its fence and the kill of older ones.
 */
public final class RunPlanner {
  /** Reason of {@code run_lost}. */
  static final String DEADLINE_EXCEEDED = "deadline_exceeded";

  /** Number of failovers without progress after which failovers are delayed. */
  public static final int FREE_FAILOVERS = 3;

  /** Time for a runner to end a step, save its files and report the end. */
  public static final Duration GRACE = Duration.ofSeconds(30);

  private final FailoverPlanner failover;

  /**
   * @param maxDeaths in one step visit; at this number the run fails
   */
  public RunPlanner(int maxDeaths) {
    this.failover = new FailoverPlanner(maxDeaths);
  }

  /**
   * Whether the run can need another runner after this release: its outcome is not the run's end.
   */
  public static boolean mayNeedAnotherRunner(String run, RunnerReleased released) {
    return RunnerPlanner.signal(run, released) != null;
  }

  /**
   * @param now by the clock of Postgres
   */
  public RunPlan plan(RunRow row, RunObservation observed, Instant now) {
    return switch (observed) {
      case RunnerLost lost -> failover.plan(row, lost, now);
      case TimePassed _ -> timePassed(row, now);
      case PlaceFreed _ -> placeFreed(row, now);
      case ApprovalAnswered answered -> answered(row, answered, now);
      case CancelRequested cancel -> cancel(row, cancel, now);
      case PauseRequested pause -> pause(row, pause, now);
      case HurryRequested hurry -> hurry(row, hurry, now);
      case ResumeRequested resume -> ResumePlanner.plan(row, resume, now);
      case RunnerReconnected reconnected -> RunnerPlanner.reconnected(row, reconnected, now);
      case RunnerAttached attached -> RunnerPlanner.attached(row, attached);
      case RunnerReleased released -> RunnerPlanner.released(row, released);
    };
  }

  private static RunPlan timePassed(RunRow row, Instant now) {
    if (isToEnd(row, now)) {
      return row.control().ended() || row.control().desired().isFinal()
          ? leaveQueue(row)
          : deadline(row, now);
    }
    if (row.isToPauseAtGap()) {
      return pauseAtGap(row, now);
    }
    RunControl.ParkedWait parked = row.control().parked();
    Instant resumeAt = parked == null ? null : parked.resumeAt();
    return resumeAt != null && !resumeAt.isAfter(now)
        ? unpark(row, row.control().change(), List.of(), now)
        : RunPlan.none(row, new RunOutcome.Unchanged("nothing is due"));
  }

  /** Pauses a run whose log lacks events, so that a person decides. */
  private static RunPlan pauseAtGap(RunRow row, Instant now) {
    RunControl run = row.control();
    RunControl.Change next = run.change();
    next.parked = null;
    ControlGap gap = row.facts().controlGap();
    boolean isPaused = run.desired() == DesiredState.PAUSED || run.status() == RunStatus.PAUSED;
    if (gap == null
        || run.ended()
        || run.desired().isFinal()
        || isPaused
        || run.pause() == PauseMode.NOW) {
      return RunPlan.of(row, next, List.of(), new RunOutcome.Changed("stopped at its gap"));
    }
    return requestPause(row, next, PauseMode.NOW, null, gap.message(), now);
  }

  /** Whether the run is past its deadline and no runner ends it. */
  private static boolean isToEnd(RunRow row, Instant now) {
    RunControl run = row.control();
    if (row.facts().kind() != RunKind.MANAGED || !row.isOverdue(now)) {
      return false;
    }
    return run.queued() != null
        || !run.ended()
            && !run.desired().isFinal()
            && (run.runner() == null
                || row.isParked()
                || run.status() == RunStatus.PAUSED
                || row.isOverdue(now.minus(GRACE)));
  }

  static RunPlan deadline(RunRow row, Instant now) {
    return FailoverPlanner.lose(
        row, DEADLINE_EXCEEDED, "the deadline was " + row.facts().deadline(), now);
  }

  private static RunPlan leaveQueue(RunRow row) {
    RunControl.Change next = row.control().change();
    next.queued = null;
    if (next.ended || next.desired.isFinal()) { // Such a run is not parked.
      next.parked = null;
    }
    return RunPlan.of(row, next, List.of(), new RunOutcome.Changed("out of the queue"));
  }

  /**
   * Begins the next epoch of a parked run, or pauses it where its runner did not receive the pause
   * in time.
   *
   * @param next changed so far
   * @param first effects before those of the epoch
   */
  private static RunPlan unpark(
      RunRow row, RunControl.Change next, List<OutboxEffect> first, Instant now) {
    RunControl.ParkedWait parked = row.control().parked();
    next.parked = null;
    if (!row.isParked()
        || next.ended
        || next.desired != DesiredState.RUNNING
        || row.facts().kind() != RunKind.MANAGED) {
      RunOutcome forgotten = new RunOutcome.Changed("no longer parked");
      return first.isEmpty()
          ? RunPlan.of(row, next, first, forgotten)
          : RunPlan.now(row, next, first, forgotten);
    }
    String reason = TraceEvent.RunnerAssigned.UNPARKED;
    int epoch = next.epoch + 1;
    long seq = next.controlSeq + 1;
    boolean pause = next.pause != null;
    next.epoch = epoch;
    next.certainEpoch = epoch;
    next.controlSeq = pause ? seq + 1 : seq;
    next.status = pause ? RunStatus.PAUSED : RunStatus.RESUMING;
    next.desired = pause ? DesiredState.PAUSED : DesiredState.RUNNING;
    next.runner = null;
    next.queued = null; // A resume that waited for a place is overtaken.
    next.nextAttemptAt = null;
    RunControl.FailoverCount before = next.failovers;
    next.failovers =
        new RunControl.FailoverCount(before.fruitless(), row.facts().progress(), before.deaths());
    TraceEvent.RunnerAssigned fence =
        new TraceEvent.RunnerAssigned(
            epoch, null, reason, parked == null ? null : waitedMs(parked, now));
    List<OutboxEffect> effects = new ArrayList<>(first);
    effects.addAll(
        pause ? OutboxEffect.pausedEpoch(fence, seq, now) : OutboxEffect.newEpoch(fence, seq, now));
    RunOutcome outcome =
        pause
            ? new RunOutcome.EpochPaused(epoch, reason)
            : new RunOutcome.EpochBegun(epoch, reason, Duration.ZERO);
    return first.isEmpty()
        ? RunPlan.of(row, next, effects, outcome)
        : RunPlan.now(row, next, effects, outcome);
  }

  private static long waitedMs(RunControl.ParkedWait parked, Instant now) {
    return Math.max(0, Duration.between(parked.since(), now).toMillis());
  }

  private static RunPlan placeFreed(RunRow row, Instant now) {
    QueuedEpoch queued = row.control().queued();
    if (queued == null) {
      return RunPlan.none(row, new RunOutcome.Unchanged("it is not queued"));
    }
    if (row.control().desired() == DesiredState.CANCELLED
        || row.facts().kind() != RunKind.MANAGED) {
      return leaveQueue(row);
    }
    if (row.isOverdue(now)) {
      return RunPlan.none(row, new RunOutcome.Unchanged("it is past its deadline"));
    }
    return begin(row, queued, now);
  }

  /** Begins an epoch of a run that is admitted or needs no admission. */
  static RunPlan begin(RunRow row, QueuedEpoch queued, Instant now) {
    int epoch = row.control().epoch();
    boolean isFirst = queued.number() == 1 && epoch == 1 && row.facts().startedEpoch() == 0;
    if (queued.number() != epoch + 1 && !isFirst) {
      return leaveQueue(row);
    }
    RunControl.Change next = row.control().change();
    List<OutboxEffect> numbered = new ArrayList<>(queued.effects().size());
    for (OutboxEffect effect : queued.effects()) {
      numbered.add(
          effect instanceof OutboxEffect.Publish publish
              ? publish.at(++next.controlSeq, now)
              : effect);
    }
    next.epoch = queued.number();
    next.certainEpoch = queued.number();
    next.desired = DesiredState.RUNNING;
    next.pause = null;
    next.ended = false;
    next.status = queued.number() == 1 ? RunStatus.PENDING : RunStatus.RESUMING;
    next.runner = null;
    next.parked = null;
    next.queued = null;
    next.failovers = RunControl.FailoverCount.none(row.facts().progress());
    next.nextAttemptAt = null;
    next.definition = queued.definition();
    return RunPlan.of(
        row,
        next,
        numbered,
        new RunOutcome.EpochBegun(queued.number(), reason(queued), Duration.ZERO));
  }

  private static String reason(QueuedEpoch queued) {
    return queued.number() == 1 ? "start" : TraceEvent.RunnerAssigned.RESUME;
  }

  private static RunPlan answered(RunRow row, ApprovalAnswered observed, Instant now) {
    if (row.control().ended() || row.control().desired().isFinal()) {
      return RunPlan.none(
          row,
          new RunOutcome.Rejected(
              "approval " + observed.event().approval() + " no longer waits for an answer"));
    }
    RunControl.Change next = row.control().change();
    next.controlSeq++;
    List<OutboxEffect> effects =
        List.of(
            OutboxEffect.publish(observed.event(), next.controlSeq, now),
            new OutboxEffect.Deliver(observed.event().approval()));
    // The epoch follows the answer, so that the next runner finds it on the log.
    return row.control().parked() == null || row.isToPauseAtGap()
        ? RunPlan.now(row, next, effects, new RunOutcome.Changed("answered"))
        : unpark(row, next, effects, now);
  }

  private static RunPlan cancel(RunRow row, CancelRequested observed, Instant now) {
    RunControl run = row.control();
    if (run.desired() == DesiredState.CANCELLED) {
      return RunPlan.none(row, new RunOutcome.Unchanged("it is cancelled"));
    }
    if (run.ended() && run.queued() != null) {
      return leaveQueue(row);
    }
    if (run.ended() || run.desired() == DesiredState.LOST) {
      return RunPlan.none(
          row,
          new RunOutcome.Rejected(
              "run %s has ended (%s); only an active run can be cancelled"
                  .formatted(row.id(), run.status().word())));
    }
    RunControl.Change next = run.change();
    next.controlSeq++;
    next.desired = DesiredState.CANCELLED;
    next.queued = null;
    next.parked = null;
    next.nextAttemptAt = null;
    String reason = observed.reason();
    return RunPlan.now(
        row,
        next,
        List.of(
            OutboxEffect.publish(new TraceEvent.RunCancelled(null, reason), next.controlSeq, now),
            new OutboxEffect.Stop(next.epoch, Objects.requireNonNullElse(reason, "cancelled"))),
        new RunOutcome.Changed("cancelled"));
  }

  private static RunPlan pause(RunRow row, PauseRequested observed, Instant now) {
    RunControl run = row.control();
    if (run.ended() || run.desired().isFinal()) {
      return RunPlan.none(
          row,
          new RunOutcome.Rejected(
              "run %s has ended (%s); only an active run can be paused"
                  .formatted(row.id(), run.ended() ? run.status().word() : run.desired().word())));
    }
    if (row.facts().kind() != RunKind.MANAGED) {
      return RunPlan.none(
          row,
          new RunOutcome.Rejected(
              "run %s is external and cannot be paused here".formatted(row.id())));
    }
    PauseMode asked = run.pause();
    if (run.desired() == DesiredState.PAUSED
        || run.status() == RunStatus.PAUSED
        || asked != null && (observed.mode() == PauseMode.STEP || asked == PauseMode.NOW)) {
      // A paused run leaves the queue; its resume queues it again.
      return run.queued() == null
          ? RunPlan.none(row, new RunOutcome.Unchanged("a pause was requested"))
          : leaveQueue(row);
    }
    return requestPause(row, run.change(), observed.mode(), observed.by(), null, now);
  }

  /**
   * @param next changed so far
   */
  private static RunPlan requestPause(
      RunRow row,
      RunControl.Change next,
      PauseMode mode,
      @Nullable String by,
      @Nullable String reason,
      Instant now) {
    next.controlSeq++;
    next.pause = mode;
    next.queued = null;
    boolean isIdle = row.control().runner() == null;
    boolean atOnce = mode == PauseMode.NOW;
    OutboxEffect request =
        OutboxEffect.publish(
            new TraceEvent.PauseRequested(by, atOnce, isIdle, reason), next.controlSeq, now);
    if (isIdle) {
      next.desired = DesiredState.PAUSED;
      next.status = RunStatus.PAUSED;
      next.nextAttemptAt = null;
      // Its resume begins an epoch regardless of the wait.
      next.parked = null;
      return RunPlan.now(row, next, List.of(request), new RunOutcome.Changed("paused"));
    }
    if (next.status == RunStatus.RUNNING || next.status == RunStatus.WAITING) {
      next.status = RunStatus.PAUSING;
    }
    return RunPlan.now(
        row,
        next,
        List.of(request, new OutboxEffect.Pause(next.epoch, atOnce)),
        new RunOutcome.Changed("pause requested"));
  }

  private static RunPlan hurry(RunRow row, HurryRequested observed, Instant now) {
    RunControl run = row.control();
    Instant attempt = run.nextAttemptAt();
    boolean isDelayed =
        attempt != null
            && attempt.isAfter(now)
            && !run.ended()
            && run.desired() == DesiredState.RUNNING
            && (observed.workflow() == null || observed.workflow().equals(row.facts().workflow()));
    if (!isDelayed) {
      return RunPlan.none(row, new RunOutcome.Unchanged("no epoch is delayed"));
    }
    RunControl.Change next = run.change();
    next.nextAttemptAt = null;
    return RunPlan.now(row, next, List.of(), new RunOutcome.Changed("hurried"));
  }
}
