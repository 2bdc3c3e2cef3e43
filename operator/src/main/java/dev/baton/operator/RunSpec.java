/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The desired state of a Run. Only the last three fields may change after the start.
 *
 * @param workflowRef a Workflow of the namespace; or {@code workflow}
 * @param workflow {@code name} or {@code name@hash} of a workflow that is stored in Baton
 * @param input at most {@link #MAX_INPUT_BYTES} as JSON
 * @param deadline a duration such as {@code 1h}, or an instant
 * @param operatingMode null: nothing is requested
 * @param deletionPolicy null: {@link RunDeletionPolicy#CANCEL}
 * @param ttlSecondsAfterFinished after which the resource is deleted; null: never
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunSpec(
    @JsonPropertyDescription("A Workflow of this namespace; either this or workflow")
        @Nullable WorkflowReference workflowRef,
    @JsonPropertyDescription("name or name@hash of a workflow that is stored in Baton")
        @Nullable String workflow,
    @PreserveUnknownFields @JsonPropertyDescription("Input of the run, at most 64 KiB as JSON")
        @Nullable JsonNode input,
    @JsonPropertyDescription("Labels of the run in Baton") @Nullable Map<String, String> labels,
    @JsonPropertyDescription("Project of the run, 'default' if absent") @Nullable String project,
    @JsonPropertyDescription("A duration such as 1h, or an instant; then the run fails")
        @Nullable String deadline,
    @Min(-100) @Max(100) @JsonPropertyDescription("-100 to 100: runs with a higher one start first")
        @Nullable Integer priority,
    @JsonPropertyDescription("Pauses, resumes or cancels the run when it changes")
        @Nullable RunOperatingMode operatingMode,
    @JsonPropertyDescription(
            "What the deletion of this resource does: Cancel, the default, or Orphan: the run"
                + " continues")
        @Nullable RunDeletionPolicy deletionPolicy,
    @Min(0) @JsonPropertyDescription("Seconds after the run's end until this resource is deleted")
        @Nullable Long ttlSecondsAfterFinished) {
  /** That of Baton's inputs. */
  static final int MAX_INPUT_BYTES = 64 * 1024;

  /** A resource without a spec. */
  static final RunSpec EMPTY =
      new RunSpec(null, null, null, null, null, null, null, null, null, null);

  RunDeletionPolicy deletion() {
    return Objects.requireNonNullElse(deletionPolicy, RunDeletionPolicy.CANCEL);
  }

  /** The same spec without what may change after the start. */
  RunSpec fixed() {
    return new RunSpec(
        workflowRef, workflow, input, labels, project, deadline, priority, null, null, null);
  }
}
