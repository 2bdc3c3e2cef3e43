/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.state.AgentRest;
import dev.baton.protocol.state.AgentState;
import dev.baton.protocol.state.ApprovalState;
import dev.baton.protocol.state.BranchState;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Holds what earlier epochs left of a run, and how often each step has ended since. The state of an
 * unfinished step or branch is taken once: when a loop reaches it again, it starts from the
 * beginning. Thread-safe.
 */
final class ReplayedState {
  private final RunState before;
  private final Map<String, BranchState> openBranches;
  private final Map<String, StepState> openSteps = new ConcurrentHashMap<>();
  private final Map<String, Integer> completions = new ConcurrentHashMap<>();
  private final Map<String, Cut> resumePoints = new ConcurrentHashMap<>();
  private final Map<String, AgentRest> rests = new ConcurrentHashMap<>();
  private final MilestoneSequencer milestones;
  private final StateLimiter limiter;

  /** Visits that are on the trace and have not ended, by the step's path. */
  private final Map<String, Integer> underWay = new ConcurrentHashMap<>();

  ReplayedState(RunState before, StateLimiter.Bound bound) {
    this.before = before;
    this.limiter = new StateLimiter(before, bound);
    this.openBranches = new ConcurrentHashMap<>(before.branches());
    this.milestones = new MilestoneSequencer(before.nextMilestone(), before.milestones());
    before
        .agents()
        .forEach(
            (path, agent) -> {
              if (agent.rest() != null) {
                rests.put(path, agent.rest());
              }
            });
    before
        .steps()
        .forEach(
            (path, state) -> {
              completions.put(path, state.completions());
              if (!state.hasEnded()) {
                openSteps.put(path, state);
                underWay.put(path, state.visit());
                if (state.resumePoint() != null) {
                  resumePoints.put(StepPath.branchOf(path), state.resumePoint());
                }
              }
            });
  }

  /** Records an event of this epoch that has its place in the trace. */
  void sent(TraceEvent.Runner event) {
    limiter.sent(event);
    switch (event) {
      case TraceEvent.StepStarted started -> {
        underWay.put(started.step(), started.visit());
        rests.remove(started.step());
      }
      case TraceEvent.StepCompleted done -> {
        AgentRest rest = AgentRest.of(done);
        if (rest != null) {
          rests.put(done.step(), rest);
        }
      }
      case TraceEvent.StepRetried again -> underWay.put(again.step(), again.visit());
      case TraceEvent.ApprovalRequested asked ->
          underWay.putIfAbsent(asked.step(), nextVisit(asked.step()));
      case TraceEvent.StepFailed failed when failed.next() == null ->
          underWay.put(failed.step(), failed.visit());
      case TraceEvent.Runner other -> {}
    }
  }

  /** Returns an agent step as earlier epochs left it. */
  AgentState agent(String step) {
    return before.agents().getOrDefault(step, AgentState.NONE);
  }

  /**
   * Returns the conversation at the end of the newest visit of an agent step, of this epoch or an
   * earlier one; empty if it has not completed, or its conversation could not be stored.
   *
   * @param id of a step on this branch or on one around it
   */
  Optional<AgentRest> rest(String branch, String id) {
    for (String at = branch; ; at = StepPath.branchOf(StepPath.branchOf(at))) {
      AgentRest rest = rests.get(StepPath.of(at, id));
      if (rest != null || at.isEmpty()) {
        return Optional.ofNullable(rest);
      }
    }
  }

  StateLimiter limiter() {
    return limiter;
  }

  MilestoneSequencer milestones() {
    return milestones;
  }

  BranchState takeBranch(String branch) {
    BranchState state = openBranches.remove(branch);
    return state == null ? BranchState.UNBEGUN : state;
  }

  /** Takes the cut inside the branch's step in progress on whose files the step is resumed. */
  Optional<Cut> takeResumePoint(String branch) {
    return Optional.ofNullable(resumePoints.remove(branch));
  }

  /** Takes the unfinished visit with this number, if there is one. */
  Optional<StepState> takeOpen(String path, int visit) {
    return Optional.ofNullable(openSteps.remove(path)).filter(state -> state.visit() == visit);
  }

  /** Returns the session slices of steps as earlier epochs left them: the newest plan of each. */
  ObjectNode slices() {
    ObjectNode slices = JsonNodeFactory.instance.objectNode();
    if (!before.plans().isEmpty()) {
      ObjectNode plans = slices.putObject("plans");
      before.plans().forEach(plans::set);
    }
    return slices;
  }

  /**
   * Closes the branches of a parallel step that has ended, and with them the visits that the join
   * did not wait for, as the fold does.
   */
  void closeBranchesOf(String parallel) {
    String prefix = parallel + "/";
    openBranches.keySet().removeIf(branch -> branch.startsWith(prefix));
    openSteps.keySet().removeIf(step -> step.startsWith(prefix));
    resumePoints.keySet().removeIf(branch -> branch.startsWith(prefix));
    underWay.forEach(
        (step, visit) -> {
          if (step.startsWith(prefix)) {
            ended(step, visit);
          }
        });
  }

  /** Returns the number of the step's next visit, from 1. */
  int nextVisit(String path) {
    return completions.getOrDefault(path, 0) + 1;
  }

  /** Records that a visit has ended. */
  void ended(String path, int visit) {
    completions.put(path, visit);
    underWay.remove(path);
  }

  /** Returns how often earlier epochs have rerouted a branch. */
  int reroutesOn(String branch) {
    return before.reroutes().entrySet().stream()
        .filter(reroute -> StepPath.branchOf(reroute.getKey()).equals(branch))
        .mapToInt(Map.Entry::getValue)
        .max()
        .orElse(0);
  }

  /** Returns the last question of earlier epochs in a visit of a step, if it is still valid. */
  Optional<ApprovalState> approval(String step, String visitId) {
    return before.approvals().values().stream()
        .filter(asked -> asked.step().equals(step))
        .filter(
            asked -> asked.approval().equals(visitId) || asked.approval().startsWith(visitId + "-"))
        .reduce((older, newer) -> newer);
  }

  /** Returns the approval of a tool call that earlier epochs have requested. */
  Optional<ApprovalState> approval(String id) {
    return Optional.ofNullable(before.approvals().get(id));
  }

  /** Whether an approval of a tool call still waits since an earlier epoch. */
  boolean isOpen(String approval) {
    return before.head().toolCalls().containsKey(approval);
  }

  /**
   * Returns the completed steps of earlier epochs on all branches, in the order of their first
   * start.
   */
  List<StepState> completed() {
    return before.steps().values().stream()
        .filter(state -> state.status() == StepState.Status.COMPLETED)
        .toList();
  }

  /** Returns the steps directly on a branch, in the order of their first start. */
  List<StepState> stepsOn(String branch) {
    return before.steps().values().stream()
        .filter(state -> StepPath.branchOf(state.step()).equals(branch))
        .toList();
  }
}
