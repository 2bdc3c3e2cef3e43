/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The current runner and progress of a run: the part of the fold whose size does not grow with the
 * number of steps. Services that list runs store this; {@link RunState} adds what a runner needs to
 * continue the run.
 *
 * <pre>
 *                      runner_assigned(1)        runner_started
 *   (none) → PENDING ──────────────────→ STARTING ──────────→ RUNNING ⇄ WAITING
 *                                                                │  ↑ runner_started
 *          runner_assigned(n &gt; 1) from any status that is not ended → RESUMING
 *   run_parked → WAITING, without a runner, until the next runner_assigned
 *   run_paused, or pause_requested while no runner has the run → PAUSED
 *   run_completed, run_failed, run_cancelled, run_lost → ended; only runner_assigned with reason
 *   {@code resume}, or a resume_requested before it, reopens a FAILED or LOST run
 * </pre>
 *
 * @param epoch the current one; 0 before the first assignment
 * @param controlSeq the last accepted seq of the control lane
 * @param runnerSeq the last accepted seq of the current epoch's lane
 * @param active paths of the steps that have started and not ended
 * @param waiting those of the active steps that wait for a person
 * @param completed number of accepted step completions; {@code skipped}, {@code retried} likewise
 * @param duplicates events dropped because their seq was already accepted or they had no effect,
 *     such as a second {@code run_created}
 * @param fenced events dropped because they came from another epoch, or after the run's end
 * @param gap description of the first gap in a lane; the event after it was accepted
 * @param error why the run failed or was lost; null otherwise
 * @param uncommitted branches on which a step has ended without a cut, with no cut since. A new
 *     epoch restarts before those steps
 * @param leftOut paths that the runner found missing at its start, since the cut excludes them
 * @param degraded the newest damaged checkpoints, at most {@link
 *     TraceEvent.RunDegraded#MAX_DAMAGED}: the run continued from an earlier state than theirs
 * @param resumed whether the current epoch began by a resume request, not by a failover
 * @param resumePoints number of accepted checkpoints inside steps that resume from them
 * @param agents the run's agents; null where it has none
 * @param toolCalls the calls of agents that wait for a person, by the id of their approval; their
 *     steps are among those that wait
 * @param controlGap the newest gap in the control lane since the run was last resumed; null for
 *     none. The orchestrator pauses the run until a person resumes it
 */
public record RunHead(
    Phase phase,
    int epoch,
    @Nullable String runner,
    long controlSeq,
    long runnerSeq,
    boolean pauseRequested,
    SortedSet<String> active,
    SortedSet<String> waiting,
    @Nullable String lastStep,
    long completed,
    long skipped,
    long retried,
    long duplicates,
    long fenced,
    @Nullable String gap,
    @Nullable Failure error,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) SortedSet<String> uncommitted,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean resumed,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> leftOut,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<DamagedCheckpoint> degraded,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) long resumePoints,
    @Nullable AgentTotals agents,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, OpenToolCall> toolCalls,
    @Nullable ControlGap controlGap) {

  /** The part of the status that events set directly. */
  public enum Phase {
    UNBORN,
    PENDING,
    STARTING,
    RESUMING,
    LIVE,
    /** Waiting, without a runner. */
    PARKED,
    PAUSED,
    /** A resume with corrections was requested; its runner_assigned event follows. */
    REOPENED,
    COMPLETED,
    FAILED,
    CANCELLED,
    LOST
  }

  private static final SortedSet<String> EMPTY = Collections.unmodifiableSortedSet(new TreeSet<>());

  public static final RunHead NONE =
      new RunHead(
          Phase.UNBORN,
          0,
          null,
          0,
          0,
          false,
          EMPTY,
          EMPTY,
          null,
          0,
          0,
          0,
          0,
          0,
          null,
          null,
          EMPTY,
          false,
          List.of(),
          List.of(),
          0,
          null,
          Map.of(),
          null);

  public RunHead {
    active = frozen(active);
    waiting = frozen(waiting);
    uncommitted = frozen(uncommitted);
    leftOut = leftOut == null ? List.of() : List.copyOf(leftOut);
    degraded = degraded == null ? List.of() : List.copyOf(degraded);
    toolCalls =
        toolCalls == null ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(toolCalls));
  }

  /** Returns an unmodifiable copy, or the set itself where it already is one. */
  static SortedSet<String> frozen(@Nullable Collection<String> set) {
    if (set == null || set.isEmpty()) {
      return EMPTY;
    }
    return set.getClass() == EMPTY.getClass()
        ? (SortedSet<String>) set
        : Collections.unmodifiableSortedSet(new TreeSet<>(set));
  }

  /** Whether the fold accepts the event, and if not, why. */
  public enum Verdict {
    ACCEPTED,
    DUPLICATE,
    FENCED,
    AFTER_END,
    /** Repeats an event that only counts once. */
    NO_EFFECT
  }

  /** The result of {@link #apply}. */
  public record Step(RunHead head, Verdict verdict) {}

  @JsonIgnore
  public RunStatus status() {
    return switch (phase) {
      case UNBORN, PENDING -> RunStatus.PENDING;
      case STARTING -> RunStatus.STARTING;
      case RESUMING -> RunStatus.RESUMING;
      case PARKED -> RunStatus.WAITING;
      case PAUSED, REOPENED -> RunStatus.PAUSED;
      case COMPLETED -> RunStatus.COMPLETED;
      case FAILED -> RunStatus.FAILED;
      case CANCELLED -> RunStatus.CANCELLED;
      case LOST -> RunStatus.LOST;
      case LIVE -> {
        if (pauseRequested) {
          yield RunStatus.PAUSING;
        }
        yield !waiting.isEmpty() && waiting.containsAll(active)
            ? RunStatus.WAITING
            : RunStatus.RUNNING;
      }
    };
  }

  @JsonIgnore
  public boolean isEnded() {
    return status().isTerminal();
  }

  /** Returns the head after the event, and whether the event was accepted. Pure. */
  public Step apply(TraceRecord record) {
    return new HeadFold(this).apply(record);
  }

  /** The only method that checks lane, epoch and seq. */
  Verdict judge(TraceRecord record) {
    int epochOf = record.id().lane().epoch();
    long seq = record.id().seq();
    if (record.id().lane().isControl()) {
      if (seq <= controlSeq) {
        return Verdict.DUPLICATE;
      }
      if (phase != Phase.UNBORN && record.event() instanceof TraceEvent.RunCreated) {
        return Verdict.NO_EFFECT;
      }
      if (isEnded() && !mayFollowTheEnd(record.event())) {
        return Verdict.AFTER_END;
      }
      return record.event() instanceof TraceEvent.ResumeRequested && !isResumable()
          ? Verdict.NO_EFFECT
          : Verdict.ACCEPTED;
    }
    if (epochOf != epoch) {
      return Verdict.FENCED;
    }
    if (seq <= runnerSeq) {
      return Verdict.DUPLICATE;
    }
    // Events of the runner from before a resume must not undo the resume's corrections.
    return isEnded() || phase == Phase.REOPENED ? Verdict.AFTER_END : Verdict.ACCEPTED;
  }

  private boolean mayFollowTheEnd(TraceEvent event) {
    return event instanceof TraceEvent.LabelsChanged || reopens(event);
  }

  private boolean reopens(TraceEvent event) {
    boolean resumes =
        event instanceof TraceEvent.ResumeRequested
            || (event instanceof TraceEvent.RunnerAssigned assigned && assigned.isResume());
    return resumes && isResumable();
  }

  /** Whether the run is stopped, and a resume request may continue it. */
  private boolean isResumable() {
    return phase == Phase.FAILED || phase == Phase.LOST || phase == Phase.PAUSED;
  }
}
