/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import dev.baton.operator.OrchestratorException.RejectedException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Validates the spec of a Run and builds the request that starts its run. Thread-safe. */
final class RunStartFactory {
  static final String WORKFLOW_NOT_FOUND = "WorkflowNotFound";

  private RunStartFactory() {}

  /**
   * @param workflow the one that the Run references; empty when it does not exist
   * @return empty while the definition of the Workflow has not been read yet
   * @throws RejectedException when the spec is not valid
   */
  static Optional<RunStart> create(RunCustomResource run, Optional<WorkflowCustomResource> workflow)
      throws RejectedException {
    RunSpec spec = run.specOrEmpty();
    WorkflowReference reference = spec.workflowRef();
    if ((reference == null) == (spec.workflow() == null)) {
      throw new RejectedException(
          "InvalidSpec",
          (reference == null
                  ? "spec has neither workflowRef nor workflow"
                  : "spec has both workflowRef and workflow")
              + "; allowed: one of them");
    }
    if (spec.input() != null) {
      checkInput(spec);
    }
    if (reference == null) {
      return Optional.of(start(run, Objects.requireNonNull(spec.workflow())));
    }
    return stored(run.getMetadata().getNamespace(), reference.name(), workflow)
        .map(stored -> start(run, stored));
  }

  private static RunStart start(RunCustomResource run, String workflow) {
    RunSpec spec = run.specOrEmpty();
    return new RunStart(
        ResourceKey.of(run),
        spec.deletion(),
        workflow,
        spec.input(),
        Objects.requireNonNullElse(spec.labels(), Map.of()),
        spec.project(),
        spec.deadline(),
        spec.priority());
  }

  private static void checkInput(RunSpec spec) throws RejectedException {
    int bytes = RunStatusMapper.jsonBytes(Objects.requireNonNull(spec.input()));
    if (bytes > RunSpec.MAX_INPUT_BYTES) {
      throw new RejectedException(
          "InputTooLarge",
          "spec.input has %,d bytes; allowed: %,d bytes; put larger data where a step can fetch it"
              .formatted(bytes, RunSpec.MAX_INPUT_BYTES));
    }
  }

  private static Optional<String> stored(
      String namespace, String name, Optional<WorkflowCustomResource> workflow)
      throws RejectedException {
    if (workflow.isEmpty()) {
      throw new RejectedException(
          WORKFLOW_NOT_FOUND,
          "spec.workflowRef: no Workflow '%s' in namespace '%s'; apply it, or name a workflow that is stored in Baton in spec.workflow of another Run"
              .formatted(name, namespace));
    }
    WorkflowCustomResource found = workflow.get();
    WorkflowResourceStatus status = found.getStatus();
    if (status == null
        || !Objects.equals(status.observedGeneration(), found.getMetadata().getGeneration())) {
      return Optional.empty();
    }
    Optional<ResourceCondition> accepted =
        ResourceCondition.find(status.conditions(), ResourceCondition.ACCEPTED);
    if (accepted.filter(ResourceCondition::isTrue).isEmpty()) {
      throw new RejectedException(
          "WorkflowNotAccepted",
          "spec.workflowRef: Workflow '%s' is not accepted: %s"
              .formatted(name, accepted.map(ResourceCondition::message).orElse("no condition")));
    }
    return Optional.of(status.name() + "@" + status.digest());
  }
}
