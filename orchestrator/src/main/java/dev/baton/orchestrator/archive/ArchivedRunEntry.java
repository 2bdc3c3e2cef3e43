/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.archive;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The shape of a run in the archive, for the API document. Runs are sent as their manifests have
 * them, so that a list can show what a later version has written.
 *
 * @param status {@code unreadable} when the manifest is not JSON
 */
@Schema(name = "ArchivedRun")
record ArchivedRunEntry(
    String run,
    @Nullable String workflow,
    @Nullable String status,
    @Nullable String project,
    @Nullable String definitionHash,
    @Nullable Map<String, String> labels,
    @Nullable Instant createdAt,
    @Nullable Instant endedAt,
    @Nullable JsonNode forkedFrom,
    @Nullable Integer epoch,
    @Nullable Long events,
    @Nullable Long stepsCompleted,
    @Nullable JsonNode error,
    @Nullable List<String> leftOut,
    Instant archivedAt,
    String commit) {}
