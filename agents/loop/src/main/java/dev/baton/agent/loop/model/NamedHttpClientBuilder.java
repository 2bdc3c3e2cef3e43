/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.model;

import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpClientBuilder;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds clients that name the conversation in each request, so that the gateway counts and bounds
 * the conversations of sub-agents on their own. Not thread-safe; the clients are.
 */
final class NamedHttpClientBuilder implements HttpClientBuilder {
  /** A header that the gateway reads. */
  private static final String HEADER = "x-session-id";

  private final HttpClientBuilder builder;
  private final String conversation;

  NamedHttpClientBuilder(HttpClientBuilder builder, String conversation) {
    this.builder = builder;
    this.conversation = conversation;
  }

  @Override
  public Duration connectTimeout() {
    return builder.connectTimeout();
  }

  @Override
  public HttpClientBuilder connectTimeout(Duration timeout) {
    builder.connectTimeout(timeout);
    return this;
  }

  @Override
  public Duration readTimeout() {
    return builder.readTimeout();
  }

  @Override
  public HttpClientBuilder readTimeout(Duration timeout) {
    builder.readTimeout(timeout);
    return this;
  }

  @Override
  public HttpClient build() {
    return new NamedHttpClient(builder.build(), conversation);
  }

  private record NamedHttpClient(HttpClient client, String conversation) implements HttpClient {
    private HttpRequest named(HttpRequest request) {
      Map<String, List<String>> headers = new HashMap<>(request.headers());
      headers.put(HEADER, List.of(conversation));
      return HttpRequest.builder()
          .method(request.method())
          .url(request.url())
          .headers(headers)
          .formDataFields(request.formDataFields())
          .formDataFiles(request.formDataFiles())
          .body(request.body())
          .build();
    }

    @Override
    public SuccessfulHttpResponse execute(HttpRequest request) {
      return client.execute(named(request));
    }

    @Override
    public void execute(
        HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
      client.execute(named(request), parser, listener);
    }
  }
}
