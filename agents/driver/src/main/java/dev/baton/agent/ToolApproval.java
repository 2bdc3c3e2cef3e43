/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

/**
 * A tool call that waits until it may run.
 *
 * @param callId id of the call in the model's answer; empty where unknown
 * @param tool name
 * @param mainInput command, path or URL; empty where there is none. Rules match it
 * @param input JSON object, shortened above 64 KiB
 * @param inputDigest {@code sha256:<64 hex>} of the whole input with sorted fields: a decision is
 *     for this input alone
 * @param reason of the agent; may be empty
 */
public record ToolApproval(
    String callId,
    String tool,
    String mainInput,
    String input,
    String inputDigest,
    String reason) {}
