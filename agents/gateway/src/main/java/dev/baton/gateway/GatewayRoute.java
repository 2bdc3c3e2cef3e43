/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import dev.baton.gateway.wire.ChatCompletionsForm;
import dev.baton.gateway.wire.MessagesForm;
import dev.baton.gateway.wire.ResponsesForm;
import dev.baton.gateway.wire.WireForm;
import org.jspecify.annotations.Nullable;

/**
 * Where a request goes.
 *
 * @param form whose endpoint and errors apply
 * @param path of the endpoint, beginning with {@code /v1/}
 * @param method the only one that is allowed
 * @param answered whether a model answers, so that it is journaled and counted; otherwise the
 *     request is passed through
 */
record GatewayRoute(WireForm form, String path, String method, boolean answered) {
  static final WireForm MESSAGES = new MessagesForm();
  static final WireForm RESPONSES = new ResponsesForm();
  static final WireForm CHAT = new ChatCompletionsForm();

  /**
   * Finds the route of a path with or without {@code /v1} at its start.
   *
   * @param anthropic whether the request has the headers of an Anthropic client
   * @return null for an unknown path
   */
  static @Nullable GatewayRoute of(String path, boolean anthropic) {
    String rest = path.startsWith("/v1/") ? path.substring("/v1".length()) : path;
    return switch (rest) {
      case "/messages" -> new GatewayRoute(MESSAGES, "/v1/messages", "POST", true);
      case "/messages/count_tokens" ->
          new GatewayRoute(MESSAGES, "/v1/messages/count_tokens", "POST", false);
      case "/responses" -> new GatewayRoute(RESPONSES, "/v1/responses", "POST", true);
      case "/chat/completions" -> new GatewayRoute(CHAT, "/v1/chat/completions", "POST", true);
      default ->
          rest.matches("/models(/[A-Za-z0-9._:@-]+)?")
              ? new GatewayRoute(anthropic ? MESSAGES : RESPONSES, "/v1" + rest, "GET", false)
              : null;
    };
  }
}
