/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Expression;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * A step of a workflow.
 *
 * @param id unique in the whole workflow, branches included; matches {@link #ID}
 * @param when the step is skipped where this is false
 * @param timeout of one attempt
 * @param next transitions, tried in order; where none matches, the step after this one in its list
 *     follows a success, and a failure fails the list
 * @param gate the condition it must satisfy at the list's end
 * @param maxVisits how often the step may run in one run (in one branch, within a parallel step);
 *     one more visit fails the run
 * @param milestone the milestone at the end of the step, if any; then it writes the workspace
 * @param resume where the step starts again after the loss of its runner; a step that does not
 *     write the workspace has no checkpoints
 * @param sandbox of its programs; empty where they run as the runner does, unless that demands one
 */
public record Step(
    String id,
    Optional<String> title,
    StepKind kind,
    Optional<Expression> when,
    StepRetryPolicy retry,
    Optional<Duration> timeout,
    WorkspaceUse workspace,
    List<StepTransition> next,
    Optional<StepGate> gate,
    OptionalInt maxVisits,
    Optional<MilestoneSettings> milestone,
    StepResumeMode resume,
    Optional<SandboxRule> sandbox) {
  public static final Pattern ID = Pattern.compile("[a-z][a-z0-9_-]{0,62}");

  public Step {
    next = List.copyOf(next);
  }

  /** Whether the step, or one within it, runs programs. */
  boolean runsPrograms() {
    return switch (kind) {
      case StepKind.Shell _, StepKind.Agent _ -> true;
      case StepKind.Parallel parallel ->
          parallel.lists().values().stream().anyMatch(StepFlow::runsPrograms);
      case StepKind.Http _,
          StepKind.Transform _,
          StepKind.Approval _,
          StepKind.Wait _,
          StepKind.Fn _ ->
          milestone.isPresent();
    };
  }

  /**
   * Whether the step, or one within it, may change files: then it ends with a cut. A parallel
   * step's own {@code workspace} does not count.
   */
  public boolean usesFiles() {
    return kind instanceof StepKind.Parallel
        ? kind.lists().values().stream().anyMatch(StepFlow::usesFiles)
        : workspace == WorkspaceUse.WRITE;
  }
}
