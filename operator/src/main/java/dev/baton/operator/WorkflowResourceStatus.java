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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a Workflow's status shows.
 *
 * @param observedGeneration of the spec that the status describes
 * @param name of the workflow in Baton; null before the first accepted definition
 * @param digest of the newest accepted definition
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record WorkflowResourceStatus(
    @JsonPropertyDescription("Generation of the spec that this status describes")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription("Name of the workflow in Baton") @Nullable String name,
    @JsonPropertyDescription("Hash of the newest accepted definition") @Nullable String digest,
    List<ResourceCondition> conditions) {
  public WorkflowResourceStatus {
    conditions = conditions == null ? List.of() : List.copyOf(conditions);
  }
}
