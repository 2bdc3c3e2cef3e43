/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway reads from a request.
 *
 * @param model the model that the agent requests
 * @param stream whether the answer is to be streamed
 * @param usageRequested whether a streamed answer is to end with its usage; false only in the chat
 *     form, where an agent must request it
 * @param maxOutput bound on the tokens of the answer; null where the request has none
 * @param items the conversation, without system prompts and thinking
 * @param tools names of the offered tools, sorted
 * @param answerFormat canonical JSON of the required output format and forced tool; empty for free
 *     text
 * @param instructions system prompt as sent; only compared, never part of a key
 * @param cacheKey the agent's own name for the conversation; null where the request has none
 */
public record ModelRequest(
    String model,
    boolean stream,
    boolean usageRequested,
    @Nullable Long maxOutput,
    List<ConversationItem> items,
    List<String> tools,
    String answerFormat,
    String instructions,
    @Nullable String cacheKey) {
  public ModelRequest {
    items = List.copyOf(items);
    tools = List.copyOf(tools);
  }

  /** The ids of the calls whose results the request contains. */
  public Set<String> resultIds() {
    return ids(ConversationItem.Kind.RESULT);
  }

  /** The ids of all calls in the conversation. */
  public Set<String> callIds() {
    return ids(ConversationItem.Kind.CALL);
  }

  private Set<String> ids(ConversationItem.Kind kind) {
    return items.stream()
        .filter(item -> item.kind() == kind)
        .map(ConversationItem::id)
        .collect(java.util.stream.Collectors.toUnmodifiableSet());
  }
}
