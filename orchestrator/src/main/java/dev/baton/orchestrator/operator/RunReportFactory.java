/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.operator;

import dev.baton.operator.RunReport;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.protocol.state.RunStatus;
import org.jspecify.annotations.Nullable;

/** Turns a run as the API shows it into a report for the operator. Thread-safe. */
final class RunReportFactory {
  private RunReportFactory() {}

  static RunReport create(RunResourceRepository.Entry owner, RunView run) {
    boolean ended = RunStatus.of(run.status()).map(RunStatus::isTerminal).orElse(false);
    RunView.RunnerRef runner = ended ? null : run.runner();
    return new RunReport(
        owner.resource(),
        run.id(),
        run.status(),
        ended,
        run.epoch(),
        run.currentSteps().isEmpty() ? null : run.currentSteps().getFirst(),
        run.completedSteps(),
        ended ? null : approval(run),
        runner == null
            ? null
            : new RunReport.Runner(runner.id(), runner.host(), runner.phase(), runner.reason()),
        queued(run.queued()),
        run.startedAt(),
        run.endedAt(),
        run.error() == null ? null : run.error().message(),
        owner.onDelete());
  }

  private static RunReport.@Nullable Approval approval(RunView run) {
    return run.waiting().stream()
        .findFirst()
        .map(first -> new RunReport.Approval(first.approval(), first.step(), first.prompt()))
        .orElse(null);
  }

  private static RunReport.@Nullable Queued queued(RunView.@Nullable Queued queued) {
    return queued == null ? null : new RunReport.Queued(queued.reason(), queued.detail());
  }
}
