/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.workflow.SecretInputPolicy;
import dev.baton.protocol.workflow.Workflow;
import dev.baton.runner.capture.RunnerStoreClient;
import dev.baton.runner.heartbeat.HeartbeatPublisher;
import dev.baton.runner.journal.EventSpoolSettings;
import dev.baton.runner.lease.LeaseConfirmer;
import dev.baton.runner.logs.RunLogUploader;
import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.secrets.RunSecretProvider;
import dev.baton.runner.secrets.SecretMasker;
import dev.baton.runner.steps.StepExecutorRegistry;
import java.nio.file.Path;
import org.apache.kafka.clients.producer.Producer;

/**
 * Components that all runs of a process share.
 *
 * @param runner the runner's id
 * @param producer of the trace
 * @param fixed where the processes of steps see their workspaces
 */
public record RunnerContext(
    String runner,
    Path data,
    Producer<String, byte[]> producer,
    RunnerStoreClient store,
    RunSnapshotSource snapshots,
    HeartbeatPublisher heartbeats,
    RunLogUploader logs,
    StepExecutorRegistry executors,
    DelayedStepStarted announcements,
    WorkflowCache definitions,
    CheckpointSettings checkpoints,
    LeaseConfirmer confirming,
    EventSpoolSettings spools,
    WorkspaceMount fixed) {
  /** Returns the secrets of a run; the masker gets each of their values. */
  RunSecretProvider secrets(String run, Workflow workflow, JsonNode input, SecretMasker masker) {
    return new RunSecretProvider(
        run,
        SecretInputPolicy.references(workflow, input),
        executors.secrets(),
        masker,
        checkpoints.secrets());
  }
}
