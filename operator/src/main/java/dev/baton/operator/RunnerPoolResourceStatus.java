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
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a RunnerPool's status shows.
 *
 * @param observedGeneration of the spec that the status describes
 * @param warm number of idle runners, with those that start
 * @param ready number of idle runners whose program runs
 * @param runners number of live runners
 * @param selector of their pods
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record RunnerPoolResourceStatus(
    @JsonPropertyDescription("Generation of the spec that this status describes")
        @Nullable Long observedGeneration,
    @StatusReplicas @JsonPropertyDescription("Number of idle runners, with those that start")
        @Nullable Integer warm,
    @JsonPropertyDescription("Number of idle runners whose program runs") @Nullable Integer ready,
    @JsonPropertyDescription("Number of live runners, with those that have a run")
        @Nullable Integer runners,
    @LabelSelector @JsonPropertyDescription("Label selector of the pods of the pool")
        @Nullable String selector,
    List<ResourceCondition> conditions) {
  /** Bound of the JSON. */
  static final int MAX_BYTES = 4096;

  public RunnerPoolResourceStatus {
    conditions = conditions == null ? List.of() : List.copyOf(conditions);
  }
}
