/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.journal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.gateway.spend.TokenUsage;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One answer of a model as it is journaled.
 *
 * @param step the step that requested it
 * @param conversation name of the conversation; several of a step run side by side
 * @param key digest of the conversation, {@code sha256:<64 hex>}
 * @param affinity digest of system prompt and tools; prefers one of several answers of a key
 * @param form id of the form, for example {@code anthropic-messages}
 * @param model the model that the agent requested
 * @param answer for a streamed answer {@code {"events": [{"event", "data"}, …]}} with joined
 *     deltas, otherwise {@code {"message": {…}}}; null for an answer that broke off, which is
 *     journaled only for its cost
 * @param providerRequestId the provider's id of the request; null where it sent none
 * @param usage tokens; null where the answer does not contain them
 * @param cost in US dollars; null where the usage or the price of the model is unknown
 * @param millis from the first byte of the request to the last of the answer
 * @param tools names of the tools that the answer calls, in its order
 */
public record JournaledAnswer(
    String step,
    String conversation,
    String key,
    String affinity,
    String form,
    String model,
    @Nullable JsonNode answer,
    @Nullable String providerRequestId,
    @Nullable TokenUsage usage,
    @Nullable BigDecimal cost,
    long millis,
    List<String> tools) {
  public JournaledAnswer {
    tools = List.copyOf(tools);
  }
}
