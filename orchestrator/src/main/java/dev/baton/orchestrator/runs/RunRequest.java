/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /runs}.
 *
 * @param workflow {@code name} or {@code name@hash}
 * @param definition inline, instead of a workflow; stored first
 * @param kind {@code managed} (the default) or {@code external}
 * @param id of an external run; generated when absent
 * @param deadline a duration such as {@code 1h}, or an instant
 * @param priority -100 to 100, default 0: runs with a higher priority are admitted and launched
 *     first
 */
public record RunRequest(
    @Nullable String workflow,
    @Nullable JsonNode definition,
    @Nullable JsonNode input,
    @Nullable Map<String, String> labels,
    @Nullable String project,
    @Nullable String deadline,
    @Nullable HeartbeatRequest heartbeat,
    @Nullable String kind,
    @Nullable String id,
    @Nullable Integer priority) {

  /** Durations such as {@code 1s}. */
  public record HeartbeatRequest(@Nullable String interval, @Nullable String timeout) {}

  /** The body of {@code POST /runs/batch}. */
  @Schema(name = "RunBatchRequest")
  public record Batch(@Nullable List<RunRequest> runs) {}
}
