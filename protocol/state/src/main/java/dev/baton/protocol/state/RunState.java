/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.ModelBudget;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The complete folded state of a trace: the head, and all that a runner needs to continue.
 * Immutable. Directly after {@code runner_assigned} it is the state from which that epoch's runner
 * starts: nothing in it is newer than the newest cut.
 *
 * @param steps by path, in the order of their first start
 * @param branches by path, {@code ""} is the main line; those of a parallel step are removed once
 *     it has ended
 * @param approvals by approval id
 * @param reroutes reroute counts, by the step whose gate was not satisfied
 * @param sessions agent session ids by step
 * @param plans newest plan by step
 * @param milestones number of the newest milestone, by the step that created it
 * @param agents agent steps by path
 * @param budget the limits that resume requests have set for agent steps; null where none has
 */
public record RunState(
    String run,
    RunHead head,
    TraceEvent.@Nullable RunCreated created,
    Map<String, StepState> steps,
    Map<String, BranchState> branches,
    Map<String, ApprovalState> approvals,
    Map<String, Integer> reroutes,
    Map<String, String> sessions,
    Map<String, com.fasterxml.jackson.databind.JsonNode> plans,
    @Nullable Output output,
    Map<String, Integer> milestones,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, AgentState> agents,
    @Nullable ModelBudget budget) {

  public RunState {
    agents = ordered(agents);
    steps = ordered(steps);
    branches = ordered(branches);
    approvals = ordered(approvals);
    reroutes = ordered(reroutes);
    sessions = ordered(sessions);
    plans = ordered(plans);
    milestones = ordered(milestones);
  }

  public static RunState empty(String run) {
    return new RunState(
        run,
        RunHead.NONE,
        null,
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        null,
        Map.of(),
        Map.of(),
        null);
  }

  /**
   * Applies one event. Pure. To fold many events use {@link StateFold}, which avoids a copy for
   * each.
   *
   * @throws IllegalArgumentException when the event is of another run
   * @throws IllegalStateException when the event resumes from an earlier state, which requires a
   *     fold of all the run's events
   */
  public RunState apply(TraceRecord record) {
    StateFold fold = new StateFold(this);
    fold.accept(record);
    return fold.state();
  }

  /** Returns the number of the run's next milestone, from 0. */
  public int nextMilestone() {
    return milestones.values().stream().mapToInt(index -> index + 1).max().orElse(0);
  }

  /**
   * Returns the cut inside the step in progress of a branch on whose files a new epoch starts the
   * step again; empty where it starts on the files of the branch's cut.
   */
  public Optional<Cut> resumePoint(String branch) {
    return steps.values().stream()
        .filter(step -> !step.hasEnded() && StepPath.branchOf(step.step()).equals(branch))
        .map(StepState::resumePoint)
        .filter(Objects::nonNull)
        .findFirst();
  }

  public BranchState branch(String path) {
    return branches.getOrDefault(path, BranchState.UNBEGUN);
  }

  private static <V> Map<String, V> ordered(@Nullable Map<String, V> map) {
    return map == null ? Map.of() : java.util.Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }
}
