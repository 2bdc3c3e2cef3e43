/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Folds a run's events in the log's order. What an event means is decided here and in {@link
 * HeadFold}, nowhere else. Not thread-safe.
 *
 * <p>A step that ended without a cut though its branch has files ({@code without_cut}) leaves the
 * branch <em>uncommitted</em>: the files exist only on the runner. The next cut of the branch holds
 * them and commits all. If the epoch ends first, {@code runner_assigned} takes the uncommitted
 * steps back, so that steps and files agree again.
 */
public final class StateFold {
  private final String run;
  private RunHead head;
  private TraceEvent.@Nullable RunCreated created;
  private final Map<String, StepState> steps;
  private final Map<String, BranchState> branches;
  private final Map<String, ApprovalState> approvals;
  private final Map<String, Integer> reroutes;
  private final Map<String, String> sessions;
  private final Map<String, JsonNode> plans;
  private @Nullable Output output;

  public StateFold(RunState from) {
    run = from.run();
    head = from.head();
    created = from.created();
    steps = new LinkedHashMap<>(from.steps());
    branches = new LinkedHashMap<>(from.branches());
    approvals = new LinkedHashMap<>(from.approvals());
    reroutes = new LinkedHashMap<>(from.reroutes());
    sessions = new LinkedHashMap<>(from.sessions());
    plans = new LinkedHashMap<>(from.plans());
    output = from.output();
  }

  /**
   * @throws IllegalArgumentException when the event is of another run
   */
  public RunHead.Verdict accept(TraceRecord record) {
    if (!record.run().equals(run)) {
      throw new IllegalArgumentException(record.id() + " is not of run " + run);
    }
    int epochBefore = head.epoch();
    RunHead.Step step = head.apply(record);
    head = step.head();
    if (step.verdict() == RunHead.Verdict.ACCEPTED) {
      if (head.epoch() > epochBefore && epochBefore > 0) {
        takeBackUncommitted();
        interruptRunning();
      }
      apply(record.event(), record.time());
    }
    return step.verdict();
  }

  public RunState state() {
    return new RunState(
        run, head, created, steps, branches, approvals, reroutes, sessions, plans, output);
  }

  private void apply(TraceEvent event, Instant time) {
    switch (event) {
      case TraceEvent.RunCreated birth -> created = birth;
      case TraceEvent.ApprovalAnswered answered ->
          approvals.computeIfPresent(
              answered.approval(), (id, asked) -> asked.answered(answered.answer(), answered.by()));
      case TraceEvent.StepStarted started ->
          start(started.step(), started.kind(), started.visit(), time);
      case TraceEvent.StepCompleted done -> complete(done);
      case TraceEvent.StepFailed failed -> fail(failed);
      case TraceEvent.StepRetried again -> retry(again);
      case TraceEvent.StepSkipped skip -> skip(skip);
      case TraceEvent.StepRerouted reroute -> reroutes.put(reroute.step(), reroute.count());
      case TraceEvent.CheckpointWaiting asked -> ask(asked, time);
      case TraceEvent.CheckpointSaved saved -> save(saved);
      case TraceEvent.AgentSessionCreated session ->
          sessions.put(session.step(), session.session());
      case TraceEvent.PlanUpdated plan -> plans.put(plan.step(), plan.items());
      case TraceEvent.RunCompleted done -> output = done.output();
      case TraceEvent.RunnerAssigned assigned -> {}
      case TraceEvent.PauseRequested pause -> {}
      case TraceEvent.RunCancelled cancelled -> {}
      case TraceEvent.RunLost lost -> {}
      case TraceEvent.RunnerStarted started -> {}
      case TraceEvent.ToolInvoked invoked -> {}
      case TraceEvent.RunPaused paused -> {}
      case TraceEvent.RunFailed failed -> {}
    }
  }

  private void start(String path, String kind, int visit, Instant time) {
    StepState old = steps.get(path);
    int completions = old == null ? 0 : old.completions();
    StepState same = old != null && old.visit() == visit ? old : null;
    int failed = same == null ? 0 : same.failedAttempts();
    // A visit starts once, however many attempts and runners it takes: timers count from there.
    Instant began = same == null || same.startedAt() == null ? time : same.startedAt();
    // Until this visit has an output of its own, expressions see that of the visit before.
    Output last = old == null ? null : old.output();
    steps.put(path, StepState.started(path, kind, visit, failed, completions, last, began));
  }

  private void complete(TraceEvent.StepCompleted done) {
    StepState old = steps.get(done.step());
    int failed = old != null && old.visit() == done.visit() ? old.failedAttempts() : 0;
    int completions = old == null ? 1 : old.completions() + 1;
    steps.put(
        done.step(),
        new StepState(
            done.step(),
            done.kind(),
            StepState.Status.COMPLETED,
            done.visit(),
            failed,
            completions,
            done.output(),
            done.cut(),
            null,
            null,
            null,
            done.exitCode(),
            done.startedAt(),
            done.durationUs()));
    leave(done.step(), done.next(), done.cut(), done.withoutCut());
  }

  private void fail(TraceEvent.StepFailed failed) {
    StepState old = steps.get(failed.step());
    steps.put(
        failed.step(),
        new StepState(
            failed.step(),
            failed.kind(),
            StepState.Status.FAILED,
            failed.visit(),
            failed.attempt(),
            old == null ? 0 : old.completions(),
            null,
            null,
            null,
            failed.error(),
            null,
            failed.error().exitCode(),
            old == null ? null : old.startedAt(),
            0));
  }

  private void retry(TraceEvent.StepRetried again) {
    StepState old = steps.get(again.step());
    steps.put(
        again.step(),
        new StepState(
            again.step(),
            again.kind(),
            StepState.Status.RUNNING,
            again.visit(),
            again.attempt(),
            old == null ? 0 : old.completions(),
            old == null ? null : old.output(),
            null,
            null,
            again.error(),
            null,
            again.error().exitCode(),
            old == null ? null : old.startedAt(),
            0));
  }

  private void skip(TraceEvent.StepSkipped skip) {
    StepState old = steps.get(skip.step());
    if (old != null && old.status() == StepState.Status.COMPLETED && old.visit() == skip.visit()) {
      return; // replayed from snapshot: its completion stands
    }
    steps.put(
        skip.step(),
        new StepState(
            skip.step(),
            null,
            StepState.Status.SKIPPED,
            skip.visit(),
            0,
            old == null ? 1 : old.completions() + 1,
            null,
            null,
            null,
            null,
            skip.reason(),
            null,
            null,
            0));
    leave(skip.step(), skip.next(), null, false);
  }

  private void ask(TraceEvent.CheckpointWaiting asked, Instant time) {
    StepState old = steps.get(asked.step());
    StepState waiting =
        old == null ? StepState.started(asked.step(), "approval", 1, 0, 0, null, time) : old;
    steps.put(asked.step(), waiting.withStatus(StepState.Status.WAITING));
    approvals.putIfAbsent(
        asked.approval(),
        new ApprovalState(
            asked.approval(),
            asked.step(),
            asked.prompt(),
            asked.answerSchema(),
            asked.defaultAnswer(),
            asked.expiresAt(),
            asked.cut(),
            null,
            null));
  }

  private void save(TraceEvent.CheckpointSaved saved) {
    Cut cut = saved.cut();
    String path = saved.step();
    if (cut != null && path != null) {
      steps.computeIfPresent(path, (key, state) -> state.withCheckpoint(cut));
    }
  }

  private void leave(String path, List<String> next, @Nullable Cut cut, boolean withoutCut) {
    dropBranchesOf(path);
    String branch = StepPath.branchOf(path);
    BranchState old = branches.getOrDefault(branch, BranchState.UNBEGUN);
    List<String> uncommitted;
    if (cut != null) {
      uncommitted = List.of();
    } else if (withoutCut || !old.uncommitted().isEmpty()) {
      uncommitted = new ArrayList<>(old.uncommitted());
      uncommitted.add(path);
    } else {
      uncommitted = List.of();
    }
    branches.put(branch, new BranchState(true, next, cut == null ? old.cut() : cut, uncommitted));
  }

  private void dropBranchesOf(String parallel) {
    String prefix = parallel + "/";
    branches.keySet().removeIf(branch -> branch.startsWith(prefix));
  }

  /** Sets every branch back to its newest cut. */
  private void takeBackUncommitted() {
    for (String branch : List.copyOf(branches.keySet())) {
      BranchState state = branches.get(branch);
      if (state == null || state.uncommitted().isEmpty()) {
        continue;
      }
      for (String path : state.uncommitted()) {
        forget(path);
      }
      // Branches that were open under this one grew from files that are gone.
      branches
          .keySet()
          .removeIf(other -> !other.equals(branch) && StepPath.isWithin(other, branch));
      steps.keySet().removeIf(path -> isOpenUnder(branch, path));
      String first = StepPath.idOf(state.uncommitted().getFirst());
      branches.put(branch, new BranchState(true, List.of(first), state.cut(), List.of()));
    }
  }

  private boolean isOpenUnder(String branch, String path) {
    String inner = StepPath.branchOf(path);
    if (inner.equals(branch) || !StepPath.isWithin(inner, branch)) {
      return false;
    }
    StepState parallel = steps.get(StepPath.childOf(branch, path));
    return parallel == null || parallel.status() != StepState.Status.COMPLETED;
  }

  private void forget(String path) {
    StepState state = steps.get(path);
    if (state == null) {
      return;
    }
    steps.keySet().removeIf(other -> other.startsWith(path + "/"));
    if (state.completions() <= 1) {
      steps.remove(path);
    } else {
      steps.put(
          path,
          new StepState(
              path,
              state.kind(),
              StepState.Status.INTERRUPTED,
              state.visit() - 1,
              0,
              state.completions() - 1,
              state.output(),
              null,
              null,
              null,
              null,
              null,
              null,
              0));
    }
  }

  private void interruptRunning() {
    steps.replaceAll(
        (path, state) ->
            state.status() == StepState.Status.RUNNING
                ? state.withStatus(StepState.Status.INTERRUPTED)
                : state);
  }
}
