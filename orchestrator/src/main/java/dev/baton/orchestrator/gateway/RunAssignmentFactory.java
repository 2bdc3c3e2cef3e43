/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import com.google.protobuf.ByteString;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.lease.LeaseIssuer;
import dev.baton.orchestrator.runs.DesiredState;
import dev.baton.orchestrator.workflows.StoredWorkflowDefinition;
import dev.baton.orchestrator.workflows.WorkflowDefinitionCache;
import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.workflow.DurationParser;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/** Builds the message that assigns a run to a runner. */
@ApplicationScoped
public class RunAssignmentFactory {
  private final WorkflowDefinitionCache definitions;
  private final LeaseIssuer leases;
  private final StepTokenSigner steps;
  private final OrchestratorConfig config;
  private final Duration parkAfter;

  RunAssignmentFactory(
      WorkflowDefinitionCache definitions,
      LeaseIssuer leases,
      StepTokenSigner steps,
      OrchestratorConfig config) {
    this.definitions = definitions;
    this.leases = leases;
    this.steps = steps;
    this.config = config;
    this.parkAfter = DurationParser.parse(config.parkAfter()).orElse(Duration.ZERO); // Off.
  }

  /** Assigns the run's current epoch. Fails when the definition is unknown. */
  public Uni<Assign> assign(RunControlState run) {
    String hash =
        Objects.requireNonNull(
            run.definitionHash(), () -> "run " + run.run() + " has no definition");
    return definitions.byHash(hash).map(definition -> assign(run, definition));
  }

  private Assign assign(RunControlState run, StoredWorkflowDefinition definition) {
    Assign.Builder assign =
        Assign.newBuilder()
            .setRun(run.run())
            .setEpoch(run.epoch())
            .setLease(leases.issue(run.run(), run.epoch(), run.project()))
            .setStepToken(steps.sign(run.run()))
            .setProject(run.project())
            .setWorkflow(definition.name())
            .setDefinitionHash(definition.hash())
            .setDefinition(definition.canonical())
            .setInput(ByteString.copyFromUtf8(Objects.requireNonNullElse(run.input(), "{}")))
            .setCreatedAtMicros(micros(run.createdAt()))
            .setDeadlineMicros(run.deadline() == null ? 0 : micros(run.deadline()))
            .setHeartbeatIntervalMillis(
                Objects.requireNonNullElse(
                    run.heartbeatIntervalMs(), config.heartbeat().interval().toMillis()))
            .setHeartbeatTimeoutMillis(
                Objects.requireNonNullElse(
                    run.heartbeatTimeoutMs(), config.heartbeat().timeout().toMillis()))
            .setParkAfterMillis(parkAfter.toMillis())
            .setFresh(run.epoch() == 1 && !run.forked())
            .addAllAnswers(run.answers())
            .putAllLabels(run.labels())
            .setCancelled(run.desired() == DesiredState.CANCELLED)
            .setPauseRequested(run.pause() != null);
    Integer home = run.home();
    if (home != null) {
      assign.setHomePartition(home);
    }
    return assign.build();
  }

  private static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }
}
