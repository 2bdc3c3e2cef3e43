/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.runs.RunRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a fork begins, and what differs from its parent. Absent fields are taken from the parent.
 *
 * @param checkpoint of the parent; or
 * @param step its path: the fork begins after its newest completion
 * @param filesOnly use only the checkpoint's files and begin at the workflow's first step
 * @param workflow name, or {@code name@hash}; or
 * @param definition inline
 * @param labels replace the parent's
 * @param prompt continues the conversation of the agent whose turn the checkpoint is
 * @param model of that agent from there on
 * @param use the agent that takes over, without the conversation
 */
public record ForkRequest(
    @Nullable String checkpoint,
    @Nullable String step,
    @Nullable Boolean filesOnly,
    @Nullable String workflow,
    @Nullable JsonNode definition,
    @Nullable JsonNode input,
    @Nullable Map<String, String> labels,
    @Nullable String deadline,
    RunRequest.@Nullable HeartbeatRequest heartbeat,
    @Nullable Integer priority,
    @Nullable String prompt,
    @Nullable String model,
    @Nullable String use) {}
