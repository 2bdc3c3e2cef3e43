/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * A tool call of an agent that waits for the decision of a person. The decision is for this call
 * with this input alone.
 *
 * @param call the id of the call in the model's answer
 * @param name of the tool, as the agent names it
 * @param input a JSON object, or its beginning as a text above 64 KiB; null in the fold, which
 *     needs the digest alone
 * @param inputDigest {@code sha256:<64 hex>} of the whole input with sorted fields
 * @param reason why the agent requests the decision; null where it names none
 */
public record ToolCall(
    String call,
    String name,
    @Nullable JsonNode input,
    String inputDigest,
    @Nullable String reason) {

  /** Returns the call without its input. */
  public ToolCall withoutInput() {
    return new ToolCall(call, name, null, inputDigest, null);
  }
}
