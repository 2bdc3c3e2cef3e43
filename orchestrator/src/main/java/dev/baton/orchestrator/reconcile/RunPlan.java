/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.outbox.OutboxEffect;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a run now: one transaction changes the row and appends the effects.
 *
 * @param before the row for which this was planned
 * @param next the row's new control columns
 * @param effects for the outbox, in order; empty when there are none
 * @param delay bound of the delay before the effects are performed
 * @param atOnce makes all postponed effects of the run due
 * @param exit how the run lost its runner; null when it did not
 */
public record RunPlan(
    RunRow before,
    RunControl next,
    List<OutboxEffect> effects,
    Duration delay,
    boolean atOnce,
    @Nullable LastRunnerExit exit,
    RunOutcome outcome) {

  public RunPlan {
    effects = List.copyOf(effects);
  }

  /** A plan that changes nothing. */
  static RunPlan none(RunRow row, RunOutcome outcome) {
    return new RunPlan(row, row.control(), List.of(), Duration.ZERO, false, null, outcome);
  }

  /** A plan whose effects are performed in their turn. */
  static RunPlan of(
      RunRow row, RunControl.Change next, List<OutboxEffect> effects, RunOutcome outcome) {
    return new RunPlan(row, next.done(), effects, Duration.ZERO, false, null, outcome);
  }

  /** A plan whose effects do not wait for postponed ones of the run. */
  static RunPlan now(
      RunRow row, RunControl.Change next, List<OutboxEffect> effects, RunOutcome outcome) {
    return new RunPlan(row, next.done(), effects, Duration.ZERO, true, null, outcome);
  }

  RunPlan delayed(Duration bound) {
    return new RunPlan(before, next, effects, bound, atOnce, exit, outcome);
  }

  RunPlan after(LastRunnerExit lost) {
    return new RunPlan(before, next, effects, delay, atOnce, lost, outcome);
  }

  /** Whether the row or the outbox changes. */
  public boolean hasChange() {
    return atOnce || !effects.isEmpty() || !next.equals(before.control());
  }

  /** The row after this plan. */
  RunRow after() {
    return new RunRow(before.id(), next, before.facts().owing(!effects.isEmpty()));
  }
}
