/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import dev.baton.gateway.spend.TokenUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway reads from a complete answer.
 *
 * @param id the provider's id of the answer; null where it has none
 * @param model the model that answered; null where the answer does not name it
 * @param usage tokens; null where the answer does not contain them
 * @param calls the tool calls that the agent has to execute, in order
 */
public record AnswerMeta(
    @Nullable String id,
    @Nullable String model,
    @Nullable TokenUsage usage,
    List<ToolCallRef> calls) {
  public AnswerMeta {
    calls = List.copyOf(calls);
  }
}
