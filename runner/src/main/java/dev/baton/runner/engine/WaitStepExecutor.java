/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.WaitTime;
import dev.baton.runner.capture.Workspace;
import dev.baton.runner.steps.Deadline;
import dev.baton.runner.steps.StepResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Waits until a time that is derived from the first start of the visit in the trace: a failover
 * neither shortens nor extends the wait. Where the run was parked, the wait also ends after the
 * remaining time that its earlier runner measured, less the time for which it was parked: both do
 * not depend on a clock that was wrong.
 */
final class WaitStepExecutor {
  /** Shorter waits are not announced: they start again after a failover. */
  private static final Duration SHORT = Duration.ofMillis(50);

  private final RunExecutionContext run;
  private final BranchExecution line;
  private final String path;
  private final int visit;
  private final Optional<StepState> left;

  WaitStepExecutor(
      RunExecutionContext run,
      BranchExecution line,
      String path,
      int visit,
      Optional<StepState> left) {
    this.run = run;
    this.line = line;
    this.path = path;
    this.visit = visit;
    this.left = left;
  }

  StepResult execute(StepKind.Wait wait, int attempt, Deadline deadline)
      throws InterruptedException {
    Instant end;
    Duration whole;
    try {
      Optional<Instant> began = left.map(StepState::startedAt);
      Instant now = Instant.now();
      Instant longest = wait.time().end(line.scope(), now);
      end = began.map(then -> wait.time().end(line.scope(), then)).orElse(longest);
      // The clock that recorded the start may have been ahead.
      end = end.isAfter(longest) ? longest : end;
      whole = Duration.between(now, longest);
      Long leftMs = left.map(StepState::leftMs).orElse(null);
      if (leftMs != null) {
        Instant parkedEnd = now.plusMillis(leftMs);
        end = end.isAfter(parkedEnd) ? parkedEnd : end;
      }
      if (end.isAfter(now.plus(SHORT))) {
        Instant announced =
            run.journal().append(new TraceEvent.StepStarted(path, wait.word(), visit, attempt));
        end = began.isPresent() ? end : wait.time().end(line.scope(), announced);
      }
    } catch (IllegalArgumentException e) {
      return StepResult.failedForGood("expression", String.valueOf(e.getMessage()));
    }
    // Nor may the clock jump between its two readings.
    Deadline over = Deadline.at(end).earlier(Deadline.after(whole));
    Deadline first = over.earlier(deadline);
    Duration left = first.left();
    Workspace workspace = line.workspace();
    boolean isUntil = wait.time() instanceof WaitTime.Until;
    Instant instant = isUntil ? end : null;
    try (RunParkingPolicy.OpenWait waiting =
        run.parking()
            .begin(
                over,
                instant,
                isUntil ? null : path,
                List.of(),
                workspace == null || !workspace.isAhead())) {
      run.control().sleep(left == null ? Duration.ZERO : left);
      waiting.over();
    }
    return over.isPast()
        ? StepResult.done(NullNode.getInstance())
        : StepResult.failed("timeout", "the step timed out before the end of the wait");
  }
}
