/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.model;

import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.http.client.jdk.JdkHttpClient;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;

/** Creates models that call the gateway once for each request: the gateway repeats. */
public final class LoopModelFactory {
  /** The most tokens of an answer; Anthropic requires a number. */
  public static final int MAX_OUTPUT = 16_384;

  /** Longer than all attempts of the gateway together, and a capture. */
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(30);

  private LoopModelFactory() {}

  /**
   * @param gateway URL without {@code /v1}
   * @param token of the gateway's session
   * @param conversation its name in the gateway
   */
  public static ChatModel create(
      LoopModelName model, URI gateway, String token, String conversation) {
    HttpClientBuilder http =
        new NamedHttpClientBuilder(
            JdkHttpClient.builder()
                .httpClientBuilder(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1))
                .connectTimeout(Duration.ofSeconds(10))
                .readTimeout(ANSWER_WITHIN),
            conversation);
    String base = gateway + "/v1";
    return switch (model.form()) {
      case ANTHROPIC_MESSAGES ->
          AnthropicChatModel.builder()
              .httpClientBuilder(http)
              .baseUrl(base)
              .apiKey(token)
              .modelName(model.name())
              .maxTokens(MAX_OUTPUT)
              .timeout(ANSWER_WITHIN)
              .maxRetries(0)
              .build();
      case OPENAI_CHAT ->
          OpenAiChatModel.builder()
              .httpClientBuilder(http)
              .baseUrl(base)
              .apiKey(token)
              .modelName(model.name())
              .timeout(ANSWER_WITHIN)
              .maxRetries(0)
              .build();
    };
  }
}
