/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.Cut;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds the initial state of a fork: the parent's state at a cut, as a new epoch of the parent
 * would find it, but for a run that has not begun. Immutable.
 *
 * <ul>
 *   <li>Completed and skipped steps, their outputs, reroutes, plans and agent sessions are copied
 *       from the parent.
 *   <li>Steps that began and did not end restart, including their retries and timers. If the cut is
 *       inside such a step, the step restarts on the files of that cut. If it is a boundary between
 *       two turns of an agent, the agent continues there, with its conversation.
 *   <li>Approvals are not copied: one that a step still waits for is requested again, for the fork.
 * </ul>
 */
public final class ForkStateBuilder {
  private final RunState at;

  /** Path of the agent step that continues at its newest boundary; null where none does. */
  private final @Nullable String continuing;

  private ForkStateBuilder(RunState at, @Nullable String continuing) {
    this.at = at;
    this.continuing = continuing;
  }

  /**
   * @param parent folded up to and including the event that contains the cut
   * @param checkpoint a cut inside a step, to start from; null to start from the newest cuts
   *     between steps
   * @param step the step of that cut; null for a cut of the whole run
   */
  public static ForkStateBuilder of(
      RunState parent, @Nullable Cut checkpoint, @Nullable String step) {
    StateFold fold = new StateFold(parent);
    fold.settle();
    RunState settled = fold.state();
    if (checkpoint == null) {
      return new ForkStateBuilder(settled, null);
    }
    if (step != null && isBoundary(settled, step, checkpoint)) {
      return new ForkStateBuilder(settled, step);
    }
    Map<String, BranchState> branches = new TreeMap<>(settled.branches());
    branches.compute(
        step == null ? StepPath.MAIN : StepPath.branchOf(step),
        (path, branch) -> (branch == null ? BranchState.UNBEGUN : branch).withCut(checkpoint));
    return new ForkStateBuilder(
        new RunState(
            settled.run(),
            settled.head(),
            settled.created(),
            settled.steps(),
            branches,
            settled.approvals(),
            settled.reroutes(),
            settled.sessions(),
            settled.plans(),
            settled.output(),
            settled.milestones(),
            settled.agents(),
            settled.budget()),
        null);
  }

  private static boolean isBoundary(RunState settled, String path, Cut checkpoint) {
    StepState step = settled.steps().get(path);
    AgentState agent = settled.agents().get(path);
    return step != null
        && !step.hasEnded()
        && checkpoint.equals(step.resumePoint())
        && agent != null
        && agent.checkpoint() != null
        && agent.checkpoint().equals(checkpoint.checkpoint());
  }

  /** Returns the checkpoints whose files the fork needs. */
  public Set<String> checkpoints() {
    Set<String> needed = new LinkedHashSet<>();
    for (BranchState branch : at.branches().values()) {
      Cut cut = branch.cut();
      if (cut != null && cut.checkpoint() != null) {
        needed.add(cut.checkpoint());
      }
    }
    if (continuing != null) {
      String boundary = Objects.requireNonNull(at.agents().get(continuing)).checkpoint();
      needed.add(Objects.requireNonNull(boundary));
    }
    return needed;
  }

  /**
   * Returns the checkpoints with conversations that later steps of the fork may continue. Without
   * one, such a step begins in a new session.
   */
  public Set<String> conversations() {
    Set<String> checkpoints = new LinkedHashSet<>();
    for (AgentState agent : at.agents().values()) {
      AgentRest rest = agent.rest();
      if (rest != null && rest.cut().checkpoint() != null) {
        checkpoints.add(rest.cut().checkpoint());
      }
    }
    return checkpoints;
  }

  /**
   * Returns the fork's initial state.
   *
   * @param run the fork's id
   * @param copies the fork's own copy of each of {@link #checkpoints} and of those of {@link
   *     #conversations} that there are, by the original's id
   */
  public RunState state(String run, Map<String, String> copies) {
    Map<String, StepState> steps = new LinkedHashMap<>();
    at.steps().forEach((path, step) -> steps.put(path, begun(step, copies)));
    Map<String, BranchState> branches = new TreeMap<>();
    at.branches()
        .forEach(
            (path, branch) ->
                branches.put(path, branch.withCut(own(branch.cut(), copies)).withFailed(false)));
    return new RunState(
        run,
        RunHead.NONE,
        null,
        steps,
        branches,
        Map.of(),
        at.reroutes(),
        at.sessions(),
        at.plans(),
        null,
        at.milestones(),
        agents(copies),
        at.budget());
  }

  /**
   * The agent that continues, and those that later steps continue, with nothing spent yet: the
   * parent has paid what was before.
   */
  private Map<String, AgentState> agents(Map<String, String> copies) {
    Map<String, AgentState> agents = new LinkedHashMap<>();
    at.agents()
        .forEach(
            (path, agent) -> {
              AgentRest rest = agent.rest();
              String copy = rest == null ? null : copies.get(rest.cut().checkpoint());
              if (path.equals(continuing)) {
                String boundary = copies.get(Objects.requireNonNull(agent.checkpoint()));
                agents.put(path, agent.continuedAt(boundary));
              } else if (rest != null && copy != null) {
                agents.put(path, agent.restedInFork(rest.inFork(copy)));
              }
            });
    return agents;
  }

  private StepState begun(StepState step, Map<String, String> copies) {
    Cut cut = own(step.cut(), copies);
    if (step.step().equals(continuing)) {
      return StepState.begunAnew(step).withResumePoint(own(step.resumePoint(), copies));
    }
    return step.hasEnded() ? step.withCutOnly(cut) : StepState.begunAnew(step);
  }

  private static @Nullable Cut own(@Nullable Cut cut, Map<String, String> copies) {
    return cut == null || cut.checkpoint() == null
        ? cut
        : cut.withCheckpoint(copies.get(cut.checkpoint()));
  }

  /**
   * Returns the branches (paths) whose cut has no checkpoint, so that their files are not
   * available.
   */
  public List<String> withoutFiles() {
    List<String> without = new ArrayList<>();
    at.branches()
        .forEach(
            (path, branch) -> {
              Cut cut = branch.cut();
              if (cut != null && cut.checkpoint() == null) {
                without.add(path);
              }
            });
    return without;
  }
}
