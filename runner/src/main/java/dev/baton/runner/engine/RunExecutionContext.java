/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.OutputUsageAnalyzer;
import dev.baton.runner.capture.OutputBlobStore;
import dev.baton.runner.checkpoint.ManifestBuilderFactory;
import dev.baton.runner.journal.RunJournal;
import dev.baton.runner.logs.RunLog;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.secrets.RunSecretProvider;
import dev.baton.runner.steps.Deadline;
import dev.baton.runner.steps.StepExecutorRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * State and components that all lines of a run share.
 *
 * @param input what expressions see as {@code .input}
 * @param info what they see as {@code .run}, without the branch
 * @param folder of the run: contains {@code workspace} and {@code branches}
 * @param deadline of the run
 * @param restarts how often this runner has started the run again from an earlier state
 * @param maxReroutes limit for each line
 * @param fixed where the processes of steps see their workspaces
 * @param checkpointInterval between checkpoints inside a step; empty for none
 * @param sharesPrograms whether a shared runner executes the programs of shell steps
 * @param continued ids of the agent steps whose conversations later steps continue
 */
record RunExecutionContext(
    String run,
    int epoch,
    String stepToken,
    int restarts,
    JsonNode input,
    ObjectNode info,
    RunFolder folder,
    Deadline deadline,
    RunJournal journal,
    RunStopController control,
    ReplayedState memory,
    ApprovalAnswerRegistry answers,
    RunProgressTracker progress,
    RunParkingPolicy parking,
    OutputBlobStore blobs,
    ManifestBuilderFactory checkpoints,
    Optional<Duration> checkpointInterval,
    RunLog log,
    DelayedStepStarted announcements,
    StepExecutorRegistry executors,
    RunSecretProvider secrets,
    int maxReroutes,
    WorkspaceMount fixed,
    OutputUsageAnalyzer outputs,
    boolean sharesPrograms,
    Set<String> continued,
    AgentLedgerRegistry ledgers,
    RunningAgentRegistry running) {

  StepLog log(String step, int visit, int attempt) {
    return log.step(step, visit, attempt);
  }

  /** {@code <run>-<step path>-<visit>}, as an id in URLs. */
  String visitId(String step, int visit) {
    return run + "-" + RunFolder.fileName(step) + "-" + visit;
  }

  /**
   * Returns the id of a question of this epoch. If the files of a question got lost, the new
   * question is a different one; therefore the id contains the epoch, from the second on, and the
   * restart, from the first on.
   */
  String approvalId(String step, int visit) {
    String id = epoch == 1 ? visitId(step, visit) : visitId(step, visit) + "-" + epoch;
    return restarts == 0 ? id : id + "-" + restarts;
  }

  void append(TraceEvent.Runner event) throws InterruptedException {
    journal.append(event);
  }
}
