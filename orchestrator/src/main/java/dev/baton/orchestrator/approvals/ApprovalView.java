/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.ToolCall;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An approval as the API shows it.
 *
 * @param status {@code waiting answered expired}
 * @param schema of the answer; null when any JSON is allowed
 * @param checkpoint digest of the files that it is about; null when no checkpoint has them
 * @param tool the tool call of an agent that it is about; null for an approval step
 */
@Schema(name = "Approval")
public record ApprovalView(
    String id,
    String run,
    String step,
    String prompt,
    String status,
    @Nullable JsonNode schema,
    @Nullable JsonNode defaultAnswer,
    @Nullable String checkpoint,
    @Nullable ToolCall tool,
    Instant askedAt,
    @Nullable Instant expiresAt,
    @Nullable JsonNode answer,
    @Nullable String by,
    @Nullable String comment,
    @Nullable Instant answeredAt) {}
