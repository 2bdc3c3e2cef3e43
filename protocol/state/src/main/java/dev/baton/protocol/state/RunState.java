/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The whole meaning of a trace: the head, and all that a runner needs to go on. Immutable. Right
 * after {@code runner_assigned} it is the snapshot from which that epoch's runner starts: nothing
 * in it is newer than the newest cut.
 *
 * @param steps by path, in the order of their first start
 * @param branches by path, {@code ""} is the main line; those of a parallel step are gone once it
 *     has ended
 * @param approvals by approval id
 * @param reroutes by the step that was left
 * @param sessions agent session ids by step
 * @param plans newest plan by step
 * @param milestones number of the newest milestone of each step that has made one
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
    Map<String, Integer> milestones) {

  public RunState {
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
        Map.of());
  }

  /**
   * The fold's step: pure. To fold many events use {@link StateFold}, which does the same without a
   * copy for each.
   *
   * @throws IllegalArgumentException when the event is of another run
   * @throws IllegalStateException when it lets the run go back to an earlier state, which only a
   *     fold of all its events knows
   */
  public RunState apply(TraceRecord record) {
    StateFold fold = new StateFold(this);
    fold.accept(record);
    return fold.state();
  }

  /** The number of the milestone that the run makes next, from 0. */
  public int nextMilestone() {
    return milestones.values().stream().mapToInt(index -> index + 1).max().orElse(0);
  }

  public BranchState branch(String path) {
    return branches.getOrDefault(path, BranchState.UNBEGUN);
  }

  private static <V> Map<String, V> ordered(@Nullable Map<String, V> map) {
    return map == null ? Map.of() : java.util.Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }
}
