/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The desired state of a RunnerPool. What is absent is that of its launcher.
 *
 * @param warm null: 0
 * @param launcher null: the only one of the type kubernetes
 * @param unknown fields that do not exist; the definition of the kind keeps them, so that a
 *     condition names them also where the API server does not
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunnerPoolSpec(
    @SpecReplicas
        @Min(0)
        @Max(64)
        @JsonPropertyDescription(
            "Number of idle runners for isolated runs, of all replicas of the orchestrator together")
        @Nullable Integer warm,
    @Min(0)
        @JsonPropertyDescription("Maximum number of live runners on each replica; 0: no new one")
        @Nullable Integer maxRunners,
    @JsonPropertyDescription("Launcher of the type kubernetes; may be absent if there is one")
        @Nullable String launcher,
    @Min(0)
        @JsonPropertyDescription(
            "Runs are placed on the pool with the lowest order that they select; 100 if absent")
        @Nullable Integer order,
    @JsonPropertyDescription("Labels by which workflows select the pool")
        @Nullable Map<String, String> labels,
    @JsonPropertyDescription("Image of the runners, with tag or digest") @Nullable String image,
    @JsonPropertyDescription("Limit of memory, such as 4g") @Nullable String memory,
    @JsonPropertyDescription("Memory that the scheduler reserves, such as 1g")
        @Nullable String requestedMemory,
    @JsonPropertyDescription("Limit in processors, such as 1.5") @Nullable Double cpus,
    @JsonPropertyDescription("Processors that the scheduler reserves, such as 0.5")
        @Nullable Double requestedCpus,
    @JsonPropertyDescription("Limit of /work, such as 2g") @Nullable String workSize,
    @JsonPropertyDescription("Limits of /tmp and of the home folder, such as 512m")
        @Nullable String tmpSize,
    @JsonPropertyDescription("Between SIGTERM and SIGKILL, in seconds, such as 30s")
        @Nullable String grace,
    @JsonPropertyDescription("Labels that the node must have")
        @Nullable Map<String, String> nodeSelector,
    @JsonPropertyDescription("Taints that are tolerated, each KEY[=VALUE][:EFFECT]")
        @Nullable List<String> tolerations,
    @JsonPropertyDescription("Priority class of the pods") @Nullable String priorityClass,
    @JsonAnySetter @JsonAnyGetter @Nullable Map<String, JsonNode> unknown) {}
