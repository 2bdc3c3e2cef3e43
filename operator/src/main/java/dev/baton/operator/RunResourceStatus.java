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
 * What a Run's status shows: a view of at most {@link #MAX_BYTES} as JSON. The run itself is in
 * Baton. Times are RFC 3339.
 *
 * @param specHash of what may not change after the start
 * @param operatingMode the one that was applied last
 * @param step path of a step that has started and not ended
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record RunResourceStatus(
    @JsonPropertyDescription("Generation of the spec that this status describes")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription("Id of the run in Baton") @Nullable String runId,
    @JsonPropertyDescription("Rejected, Queued, Deleted, or the status of the run")
        @Nullable String phase,
    @JsonPropertyDescription("Number of the current runner of the run") @Nullable Integer epoch,
    @JsonPropertyDescription("Path of a step in progress") @Nullable String step,
    @JsonPropertyDescription("Number of completed steps") @Nullable Long completedSteps,
    // The API server 1.20 leaves null where an applied object is removed.
    @io.fabric8.generator.annotation.Nullable
        @JsonPropertyDescription("The approval that the run waits for")
        @Nullable WaitingApproval waitingFor,
    @io.fabric8.generator.annotation.Nullable
        @JsonPropertyDescription("The runner that carries the run")
        @Nullable RunnerIdentity runner,
    @JsonPropertyDescription("When its first runner started") @Nullable String startedAt,
    @JsonPropertyDescription("When it ended") @Nullable String finishedAt,
    @JsonPropertyDescription("Why it is in this phase") @Nullable String message,
    @JsonPropertyDescription("Operating mode that was applied last")
        @Nullable RunOperatingMode operatingMode,
    @JsonPropertyDescription("Hash of the fields that may not change") @Nullable String specHash,
    List<ResourceCondition> conditions) {
  /** Largest status as JSON: the database of a cluster is not a place for the state of runs. */
  static final int MAX_BYTES = 4096;

  public RunResourceStatus {
    conditions = conditions == null ? List.of() : List.copyOf(conditions);
  }

  /**
   * An approval.
   *
   * @param id for {@code baton approve}
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record WaitingApproval(String id, String step, String prompt) {}

  /**
   * A runner.
   *
   * @param host its pod's name if it is a pod
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record RunnerIdentity(String id, @Nullable String host) {}

  /** Whether the other differs in nothing but the progress of steps. */
  boolean differsOnlyInProgressFrom(RunResourceStatus other) {
    return withoutProgress().equals(other.withoutProgress());
  }

  private RunResourceStatus withoutProgress() {
    return new RunResourceStatus(
        observedGeneration,
        runId,
        phase,
        epoch,
        null,
        null,
        waitingFor,
        runner,
        startedAt,
        finishedAt,
        message,
        operatingMode,
        specHash,
        conditions);
  }
}
