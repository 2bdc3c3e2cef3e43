/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.state.RunHead.Phase;
import dev.baton.protocol.state.RunHead.Verdict;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One application of an event to a {@link RunHead}: a working copy that lives for a single call.
 */
final class HeadFold {
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
    long last = record.id().lane().isControl() ? controlSeq : runnerSeq;
    if (record.id().seq() != last + 1 && gap == null) {
      gap = record.id() + " follows seq " + last;
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
        if (created.kind().equals("external")) {
          assign(1, null);
        }
      }
      case TraceEvent.RunnerAssigned assigned -> {
        if (assigned.epoch() > epoch) {
          assign(assigned.epoch(), assigned.runner());
        }
      }
      case TraceEvent.ApprovalAnswered answered -> waiting = without(waiting, answered.step());
      case TraceEvent.PauseRequested pause -> pauseRequested = true;
      case TraceEvent.RunCancelled cancelled -> end(Phase.CANCELLED, null);
      case TraceEvent.RunLost lost ->
          end(
              Phase.LOST,
              Failure.of(lost.reason(), lost.detail() == null ? lost.reason() : lost.detail()));
    }
  }

  private void assign(int newEpoch, @Nullable String newRunner) {
    epoch = newEpoch;
    runner = newRunner;
    runnerSeq = 0;
    active = new TreeSet<>();
    error = null;
    pauseRequested = false;
    phase = newEpoch == 1 ? Phase.STARTING : Phase.RESUMING;
  }

  private void applyRunner(TraceEvent.Runner event) {
    if (phase == Phase.STARTING || phase == Phase.RESUMING) {
      phase = Phase.LIVE;
      active = new TreeSet<>(waiting);
    }
    switch (event) {
      case TraceEvent.RunnerStarted started -> runner = started.runner();
      case TraceEvent.StepStarted started -> start(started.step());
      case TraceEvent.StepCompleted done -> {
        completed++;
        leave(done.step());
      }
      case TraceEvent.StepFailed failed -> leave(failed.step());
      case TraceEvent.StepRetried again -> {
        retried++;
        start(again.step());
      }
      case TraceEvent.StepSkipped skip -> {
        skipped++;
        leave(skip.step());
      }
      case TraceEvent.CheckpointWaiting wait -> {
        start(wait.step());
        waiting = with(waiting, wait.step());
      }
      case TraceEvent.RunPaused paused -> phase = Phase.PAUSED;
      case TraceEvent.RunCompleted done -> end(Phase.COMPLETED, null);
      case TraceEvent.RunFailed failed -> end(Phase.FAILED, failed.error());
      case TraceEvent.StepRerouted reroute -> lastStep = reroute.step();
      case TraceEvent.CheckpointSaved saved -> {}
      case TraceEvent.AgentSessionCreated created -> {}
      case TraceEvent.ToolInvoked invoked -> {}
      case TraceEvent.PlanUpdated updated -> {}
    }
  }

  private void start(String step) {
    active = with(active, step);
    lastStep = step;
  }

  private void leave(String step) {
    active = without(active, step);
    waiting = without(waiting, step);
    lastStep = step;
  }

  private void end(Phase how, @Nullable Failure why) {
    phase = how;
    error = why;
    active = new TreeSet<>();
    waiting = new TreeSet<>();
  }

  private static SortedSet<String> with(SortedSet<String> set, String element) {
    if (set.contains(element)) {
      return set;
    }
    SortedSet<String> copy = new TreeSet<>(set);
    copy.add(element);
    return copy;
  }

  private static SortedSet<String> without(SortedSet<String> set, String element) {
    if (!set.contains(element)) {
      return set;
    }
    SortedSet<String> copy = new TreeSet<>(set);
    copy.remove(element);
    return copy;
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
        error);
  }
}
