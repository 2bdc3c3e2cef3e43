/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import dev.baton.protocol.expression.ExpressionScope;
import dev.baton.runner.lease.RunLease;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.StepEnvironmentBuilder;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.sandbox.StepSandbox;
import dev.baton.runner.secrets.RunSecretProvider;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Context of one attempt of a step.
 *
 * @param stepToken with which its programs ask the orchestrator for the run's epoch; may be empty
 * @param step its path
 * @param visit which visit of the step, from 1
 * @param attempt which attempt of the visit, from 1
 * @param directory where its files are: the line's workspace, or an empty directory of its own;
 *     created on demand
 * @param log created on demand
 * @param deadline of this attempt
 * @param hold the lease; what the attempt starts is suspended and resumed with it
 * @param fixed where its processes see the directory
 * @param sandbox of its processes, if they have one
 * @param environment builds that of its processes
 * @param secrets of the workflow
 * @param leftOut paths in the directory that cuts leave out and that are missing
 * @param outputIsRead whether an expression of the workflow may read the step's output
 * @param resumedFrom id of the checkpoint inside the step whose files are in the directory; null
 *     for the files before the step
 */
public record StepContext(
    String run,
    int epoch,
    String stepToken,
    String step,
    int visit,
    int attempt,
    ExpressionScope scope,
    Supplier<Path> directory,
    Supplier<StepLog> log,
    Deadline deadline,
    RunLease hold,
    WorkspaceMount fixed,
    Optional<StepSandbox> sandbox,
    StepEnvironmentBuilder environment,
    RunSecretProvider secrets,
    List<String> leftOut,
    boolean outputIsRead,
    @Nullable String resumedFrom) {
  public StepContext {
    leftOut = List.copyOf(leftOut);
  }

  /** Returns a key that is the same for every attempt of this visit, in every epoch. */
  public String idempotencyKey() {
    return run + "/" + step + "/" + visit;
  }

  /** Returns the environment variables that identify this step's processes. */
  public Map<String, String> marks() {
    Map<String, String> marks = new LinkedHashMap<>();
    marks.put("BATON_RUN_ID", run);
    marks.put("BATON_STEP_ID", step);
    marks.put("BATON_EPOCH", Integer.toString(epoch));
    return marks;
  }
}
