/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.operator.OrchestratorException.RejectedException;
import dev.baton.operator.OrchestratorException.UnavailableException;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores the definition of a Workflow once for each of its generations, and shows its hash or its
 * errors. A deleted Workflow stays stored: runs may use it. Thread-safe.
 */
final class WorkflowResourceReconciler implements Reconciler<WorkflowCustomResource> {
  private final OrchestratorClient orchestrator;
  private final Clock clock;

  WorkflowResourceReconciler(OrchestratorClient orchestrator, Clock clock) {
    this.orchestrator = orchestrator;
    this.clock = clock;
  }

  @Override
  public UpdateControl<WorkflowCustomResource> reconcile(
      WorkflowCustomResource workflow, Context<WorkflowCustomResource> context)
      throws UnavailableException {
    WorkflowResourceStatus before = workflow.getStatus();
    if (before != null
        && Objects.equals(before.observedGeneration(), workflow.getMetadata().getGeneration())) {
      return UpdateControl.noUpdate();
    }
    WorkflowCustomResource patch = new WorkflowCustomResource();
    patch.setMetadata(
        new ObjectMetaBuilder()
            .withName(workflow.getMetadata().getName())
            .withNamespace(workflow.getMetadata().getNamespace())
            .build());
    patch.setStatus(store(workflow, before));
    return UpdateControl.patchStatus(patch);
  }

  /** Stores the definition; errors become a condition. */
  WorkflowResourceStatus store(
      WorkflowCustomResource workflow, @Nullable WorkflowResourceStatus before)
      throws UnavailableException {
    try {
      OrchestratorClient.StoredWorkflow stored = orchestrator.store(definition(workflow));
      return status(
          workflow,
          before,
          stored,
          ResourceCondition.of(ResourceCondition.ACCEPTED, ResourceCondition.TRUE, "Stored", null));
    } catch (RejectedException e) {
      return status(workflow, before, null, ResourceCondition.rejected(e.reason(), e.text()));
    }
  }

  private static byte[] definition(WorkflowCustomResource workflow) throws RejectedException {
    WorkflowSpec spec = workflow.getSpec();
    JsonNode definition = spec == null ? null : spec.definition();
    if (!(definition instanceof ObjectNode fields)) {
      throw new RejectedException(
          "InvalidDefinition", "spec.definition is not an object; allowed: a workflow definition");
    }
    ObjectNode named = fields;
    if (!fields.has("name")) {
      named = fields.deepCopy();
      named.put("name", workflow.getMetadata().getName());
    }
    byte[] json = named.toString().getBytes(StandardCharsets.UTF_8);
    if (json.length > WorkflowSpec.MAX_DEFINITION_BYTES) {
      throw new RejectedException(
          "DefinitionTooLarge",
          "spec.definition has %,d bytes; allowed: %,d bytes; store it with 'baton workflows push FILE', and name it in spec.workflow of the Run"
              .formatted(json.length, WorkflowSpec.MAX_DEFINITION_BYTES));
    }
    return json;
  }

  private WorkflowResourceStatus status(
      WorkflowCustomResource workflow,
      @Nullable WorkflowResourceStatus before,
      OrchestratorClient.@Nullable StoredWorkflow stored,
      ResourceCondition accepted) {
    String name = before == null ? null : before.name();
    String digest = before == null ? null : before.digest();
    return new WorkflowResourceStatus(
        workflow.getMetadata().getGeneration(),
        stored == null ? name : stored.name(),
        stored == null ? digest : stored.hash(),
        ResourceCondition.timed(
            List.of(accepted),
            before == null ? List.of() : before.conditions(),
            clock.instant().truncatedTo(ChronoUnit.SECONDS).toString()));
  }
}
