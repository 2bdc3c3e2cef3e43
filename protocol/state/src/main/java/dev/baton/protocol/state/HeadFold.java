/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.state.RunHead.Phase;
import dev.baton.protocol.state.RunHead.Verdict;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Applies one event to a {@link RunHead}: a working copy for a single call. */
final class HeadFold {
  private static final SortedSet<String> NOTHING = RunHead.NONE.active();

  private final RunHead before;
  private Phase phase;
  private int epoch;
  private @Nullable String runner;
  private long controlSeq;
  private long runnerSeq;
  private boolean pauseRequested;
  private SortedSet<String> active;
  private SortedSet<String> waiting;
  private @Nullable String lastStep;
  private long completed;
  private long skipped;
  private long retried;
  private long duplicates;
  private long fenced;
  private @Nullable String gap;
  private @Nullable Failure error;
  private SortedSet<String> uncommitted;
  private boolean resumed;
  private List<String> leftOut;
  private List<DamagedCheckpoint> degraded;
  private long resumePoints;
  private @Nullable AgentTotals agents;
  private Map<String, OpenToolCall> toolCalls;
  private @Nullable ControlGap controlGap;

  HeadFold(RunHead before) {
    this.before = before;
    phase = before.phase();
    epoch = before.epoch();
    runner = before.runner();
    controlSeq = before.controlSeq();
    runnerSeq = before.runnerSeq();
    pauseRequested = before.pauseRequested();
    active = before.active();
    waiting = before.waiting();
    lastStep = before.lastStep();
    completed = before.completed();
    skipped = before.skipped();
    retried = before.retried();
    duplicates = before.duplicates();
    fenced = before.fenced();
    gap = before.gap();
    error = before.error();
    uncommitted = before.uncommitted();
    resumed = before.resumed();
    leftOut = before.leftOut();
    degraded = before.degraded();
    resumePoints = before.resumePoints();
    agents = before.agents();
    toolCalls = before.toolCalls();
    controlGap = before.controlGap();
  }

  RunHead.Step apply(TraceRecord record) {
    Verdict verdict = before.judge(record);
    switch (verdict) {
      case DUPLICATE -> duplicates++;
      case FENCED -> fenced++;
      case AFTER_END -> {
        fenced++;
        advance(record);
      }
      case NO_EFFECT -> {
        duplicates++;
        noteGap(record);
        advance(record);
      }
      case ACCEPTED -> {
        noteGap(record);
        advance(record);
        switch (record.event()) {
          case TraceEvent.Control control -> applyControl(control);
          case TraceEvent.Runner event -> applyRunner(event);
        }
      }
    }
    return new RunHead.Step(after(), verdict);
  }

  private void noteGap(TraceRecord record) {
    boolean isControl = record.id().lane().isControl();
    long seq = record.id().seq();
    long last = isControl ? controlSeq : runnerSeq;
    if (seq == last + 1) {
      return;
    }
    if (gap == null) {
      gap = record.id() + " follows seq " + last;
    }
    if (isControl) {
      controlGap = new ControlGap(last + 1, seq);
    }
  }

  private void advance(TraceRecord record) {
    if (record.id().lane().isControl()) {
      controlSeq = record.id().seq();
    } else {
      runnerSeq = record.id().seq();
    }
  }

  private void applyControl(TraceEvent.Control event) {
    switch (event) {
      case TraceEvent.RunCreated created -> {
        phase = Phase.PENDING;
        if (created.isExternal()) {
          assign(1, null, false);
        }
      }
      case TraceEvent.RunnerAssigned assigned ->
          assign(assigned.epoch(), assigned.runner(), assigned.isResume());
      case TraceEvent.ApprovalAnswered answered -> {
        toolCalls = OpenToolCall.without(toolCalls, (id, call) -> id.equals(answered.approval()));
        endWait(answered.step());
      }
      case TraceEvent.PauseRequested pause -> {
        pauseRequested = true;
        if (pause.idle()) {
          pause();
        }
      }
      case TraceEvent.ResumeRequested resume -> {
        waiting = resume.from() == null ? waitingOnCommitted() : NOTHING;
        keepWaitingCalls();
        active = NOTHING;
        uncommitted = NOTHING;
        phase = Phase.REOPENED;
        decideGap();
      }
      case TraceEvent.LabelsChanged changed -> {}
      case TraceEvent.RunCancelled cancelled -> end(Phase.CANCELLED, null);
      case TraceEvent.RunLost lost ->
          end(
              lost.reason().equals(TraceEvent.RunLost.CRASH_LOOP) ? Phase.FAILED : Phase.LOST,
              Failure.of(lost.reason(), lost.detail() == null ? lost.reason() : lost.detail()));
    }
  }

  /** Epochs only increase: an assignment of an older or the same epoch is ignored. */
  private void assign(int newEpoch, @Nullable String newRunner, boolean resume) {
    if (newEpoch <= epoch) {
      return;
    }
    epoch = newEpoch;
    runner = newRunner;
    runnerSeq = 0;
    active = NOTHING;
    waiting = waitingOnCommitted();
    keepWaitingCalls();
    uncommitted = NOTHING;
    error = null;
    pauseRequested = false;
    resumed = resume;
    if (resume) {
      decideGap();
    }
    phase = newEpoch == 1 ? Phase.STARTING : Phase.RESUMING;
  }

  /** A person has resumed the run in spite of its gap, but not of one just before this event. */
  private void decideGap() {
    if (Objects.equals(controlGap, before.controlGap())) {
      controlGap = null;
    }
  }

  private void applyRunner(TraceEvent.Runner event) {
    if (phase == Phase.PARKED) {
      phase = Phase.LIVE;
    }
    if (phase == Phase.STARTING || phase == Phase.RESUMING) {
      phase = Phase.LIVE;
      active = waiting;
    }
    switch (event) {
      case TraceEvent.RunnerStarted started -> {
        runner = started.runner();
        leftOut = started.leftOut();
      }
      case TraceEvent.RunDegraded lost -> degrade(lost);
      case TraceEvent.StepStarted started -> start(started.step());
      case TraceEvent.StepCompleted done -> {
        completed++;
        leave(done.step());
        noteCut(done.step(), done.cut(), done.withoutCut());
      }
      case TraceEvent.StepFailed failed -> {
        leave(failed.step());
        if (failed.next() != null) {
          noteCut(failed.step(), failed.cut(), failed.withoutCut());
        }
      }
      case TraceEvent.StepRetried again -> {
        retried++;
        start(again.step());
        closeCalls((id, call) -> call.isWithin(again.step()));
      }
      case TraceEvent.StepSkipped skip -> {
        if (!skip.tellsAgain()) {
          skipped++;
          leave(skip.step());
          dropBranchesOf(skip.step());
        }
      }
      case TraceEvent.ApprovalRequested wait -> {
        start(wait.step());
        waiting = with(waiting, wait.step());
        if (wait.tool() != null) {
          open(wait.approval(), new OpenToolCall(wait.step(), wait.tool().call()));
        }
      }
      case TraceEvent.RunPaused paused -> pause();
      case TraceEvent.RunParked parked -> phase = Phase.PARKED;
      case TraceEvent.RunCompleted done -> end(Phase.COMPLETED, null);
      case TraceEvent.RunFailed failed -> end(Phase.FAILED, failed.error());
      case TraceEvent.StepRerouted reroute -> lastStep = reroute.step();
      case TraceEvent.CheckpointSaved saved -> {
        if (ResumePointTracker.isResumePoint(saved)) {
          resumePoints++;
        }
      }
      case TraceEvent.AgentSessionCreated created -> {
        agents = AgentTotals.after(agents, created);
        if (created.degraded() != null && created.parent() == null) {
          // The calls of the lost session are not made again.
          closeCalls((id, call) -> call.step().equals(created.step()));
        }
      }
      case TraceEvent.ModelAnswered answer -> agents = AgentTotals.after(agents, answer);
      case TraceEvent.ToolInvoked invoked ->
          closeCalls((id, call) -> call.isOf(invoked.step(), invoked.id()));
      case TraceEvent.ToolBegun begun -> {}
      case TraceEvent.PlanUpdated updated -> {}
      case TraceEvent.CallsRepeated repeated -> agents = AgentTotals.after(agents, repeated);
      case TraceEvent.AgentCompacted compacted -> {}
      case TraceEvent.BackgroundResumed resumed -> {}
    }
  }

  /** Drops what the run does after the restored state; all of it starts or is requested again. */
  private void degrade(TraceEvent.RunDegraded lost) {
    active = NOTHING;
    waiting = NOTHING;
    toolCalls = Map.of();
    uncommitted = NOTHING;
    if (lost.after() == null) {
      completed = 0;
    }
    List<DamagedCheckpoint> all = new ArrayList<>(degraded);
    all.addAll(lost.damaged());
    int most = TraceEvent.RunDegraded.MAX_DAMAGED;
    degraded = all.size() <= most ? all : all.subList(all.size() - most, all.size());
  }

  private void noteCut(String step, @Nullable Cut cut, boolean withoutCut) {
    dropBranchesOf(step);
    if (cut != null) {
      uncommitted = without(uncommitted, StepPath.branchOf(step));
    } else if (withoutCut) {
      uncommitted = with(uncommitted, StepPath.branchOf(step));
    }
  }

  private void dropBranchesOf(String step) {
    if (!uncommitted.isEmpty()) {
      uncommitted = filtered(uncommitted, branch -> !branch.startsWith(step + "/"));
    }
  }

  /**
   * Drops approvals on uncommitted branches: their files are lost with the epoch, so they are
   * requested again.
   */
  private SortedSet<String> waitingOnCommitted() {
    return uncommitted.isEmpty()
        ? waiting
        : filtered(
            waiting,
            step ->
                uncommitted.stream()
                    .noneMatch(lost -> StepPath.isWithin(StepPath.branchOf(step), lost)));
  }

  private void start(String step) {
    active = with(active, step);
    lastStep = step;
  }

  private void leave(String step) {
    active = withoutThoseUnder(without(active, step), step);
    waiting = withoutThoseUnder(without(waiting, step), step);
    keepWaitingCalls();
    lastStep = step;
  }

  /** Opens a call; the same call with another input or on other files replaces the one before. */
  private void open(String approval, OpenToolCall call) {
    Map<String, OpenToolCall> others =
        OpenToolCall.without(toolCalls, (id, open) -> open.equals(call));
    toolCalls = OpenToolCall.with(others, approval, call);
  }

  private void closeCalls(BiPredicate<String, OpenToolCall> closed) {
    Map<String, OpenToolCall> old = toolCalls;
    toolCalls = OpenToolCall.without(old, closed);
    old.forEach(
        (id, call) -> {
          if (!toolCalls.containsKey(id)) {
            endWait(call.step());
          }
        });
  }

  /** A step waits as long as one of its calls does. */
  private void endWait(String step) {
    if (toolCalls.values().stream().noneMatch(call -> call.step().equals(step))) {
      waiting = without(waiting, step);
    }
  }

  /** Closes the calls of steps that no longer wait. */
  private void keepWaitingCalls() {
    toolCalls = OpenToolCall.without(toolCalls, (id, call) -> !waiting.contains(call.step()));
  }

  /** Approvals stay open, since a person may answer meanwhile; all other steps stop. */
  private void pause() {
    phase = Phase.PAUSED;
    active = waiting;
  }

  private void end(Phase how, @Nullable Failure why) {
    phase = how;
    error = why;
    active = NOTHING;
    waiting = NOTHING;
    toolCalls = Map.of();
  }

  private static SortedSet<String> with(SortedSet<String> set, String element) {
    if (set.contains(element)) {
      return set;
    }
    TreeSet<String> copy = new TreeSet<>(set);
    copy.add(element);
    return Collections.unmodifiableSortedSet(copy);
  }

  private static SortedSet<String> without(SortedSet<String> set, String element) {
    return set.contains(element) ? filtered(set, other -> !other.equals(element)) : set;
  }

  /** Removes the steps below a parallel step that ended without waiting for them. */
  private static SortedSet<String> withoutThoseUnder(SortedSet<String> set, String step) {
    // '0' is the character after '/'.
    return set.isEmpty() || set.subSet(step + "/", step + "0").isEmpty()
        ? set
        : filtered(set, other -> !other.startsWith(step + "/"));
  }

  private static SortedSet<String> filtered(SortedSet<String> set, Predicate<String> keep) {
    if (set.size() == 1) { // The usual case: one step at a time.
      return keep.test(set.first()) ? set : NOTHING;
    }
    TreeSet<String> copy = new TreeSet<>(set);
    copy.removeIf(keep.negate());
    return Collections.unmodifiableSortedSet(copy);
  }

  private RunHead after() {
    return new RunHead(
        phase,
        epoch,
        runner,
        controlSeq,
        runnerSeq,
        pauseRequested,
        active,
        waiting,
        lastStep,
        completed,
        skipped,
        retried,
        duplicates,
        fenced,
        gap,
        error,
        uncommitted,
        resumed,
        leftOut,
        degraded,
        resumePoints,
        agents,
        toolCalls,
        controlGap);
  }
}
