/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.StepKind;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes a request. The output is {@code {status, headers, body}}; the body is JSON where it is,
 * text otherwise.
 */
final class HttpStep implements StepExecutor<StepKind.Http> {
  static final int MAX_BODY = 10 * 1024 * 1024;

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int REQUEST_TIMEOUT = 408;

  /** Made at the first request: it loads TLS. */
  private static final class Client {
    static final HttpClient INSTANCE =
        HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(10))
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
  }

  /** An answer whose body is read whole. */
  private record Answer(int status, Map<String, List<String>> headers, byte[] body) {}

  @Override
  public StepResult execute(StepKind.Http kind, StepContext context) throws InterruptedException {
    HttpRequest request;
    Duration limit = context.deadline().leftAtMost(kind.timeout());
    try {
      request = request(kind, context, limit);
    } catch (IllegalArgumentException e) {
      return StepResult.failedForGood("http_io", "no request can be made: " + e.getMessage());
    }
    CompletableFuture<Answer> exchange =
        Client.INSTANCE
            .sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
            .thenApplyAsync(HttpStep::read, task -> Thread.ofVirtual().start(task));
    try {
      return judge(kind, exchange.get(limit.toNanos(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      return StepResult.failed("timeout", "no whole answer within " + limit.toMillis() + " ms");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return cause instanceof HttpTimeoutException
          ? StepResult.failed("timeout", "no answer within " + limit.toMillis() + " ms")
          : StepResult.failed("http_io", request.uri().getAuthority() + ": " + cause);
    } finally {
      exchange.cancel(true);
    }
  }

  private static HttpRequest request(StepKind.Http kind, StepContext context, Duration limit) {
    URI uri = URI.create(kind.url().render(context.scope()));
    if (!"http".equals(uri.getScheme()) && !"https".equals(uri.getScheme())) {
      throw new IllegalArgumentException("'" + uri + "' is not a http or https URL");
    }
    HttpRequest.Builder builder = HttpRequest.newBuilder(uri).timeout(limit);
    builder.setHeader("Idempotency-Key", context.idempotencyKey());
    JsonNode body = kind.body().map(tree -> tree.evaluate(context.scope())).orElse(null);
    if (body != null) {
      builder.setHeader(
          "Content-Type", body.isTextual() ? "text/plain; charset=utf-8" : "application/json");
    }
    kind.headers().forEach((name, value) -> builder.setHeader(name, value.render(context.scope())));
    return builder
        .method(
            kind.method(),
            body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(
                    body.isTextual()
                        ? body.textValue().getBytes(StandardCharsets.UTF_8)
                        : Json.bytes(body)))
        .build();
  }

  private static Answer read(HttpResponse<InputStream> response) {
    try (InputStream in = response.body()) {
      return new Answer(
          response.statusCode(), response.headers().map(), in.readNBytes(MAX_BODY + 1));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static StepResult judge(StepKind.Http kind, Answer answer) {
    if (answer.body().length > MAX_BODY) {
      return StepResult.failedForGood(
          "output_invalid", "the answer's body has more than " + MAX_BODY + " bytes");
    }
    int status = answer.status();
    if (!kind.expects(status)) {
      String message = "the answer's status is " + status;
      boolean mayPass = status >= 500 || status == TOO_MANY_REQUESTS || status == REQUEST_TIMEOUT;
      return mayPass
          ? StepResult.failed("http_status", message)
          : StepResult.failedForGood("http_status", message);
    }
    ObjectNode output = JsonNodeFactory.instance.objectNode();
    output.put("status", status);
    ObjectNode headers = output.putObject("headers");
    answer.headers().forEach((name, values) -> headers.put(name, String.join(", ", values)));
    output.set("body", body(answer));
    return StepResult.done(output);
  }

  private static JsonNode body(Answer answer) {
    if (answer.body().length == 0) {
      return NullNode.getInstance();
    }
    String type = String.join(",", answer.headers().getOrDefault("content-type", List.of()));
    if (type.contains("json")) {
      try {
        return Json.mapper().readTree(answer.body());
      } catch (JacksonException notJson) {
        return text(answer);
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
    return text(answer);
  }

  private static JsonNode text(Answer answer) {
    return TextNode.valueOf(new String(answer.body(), StandardCharsets.UTF_8));
  }
}
