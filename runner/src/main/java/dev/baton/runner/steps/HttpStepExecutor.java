/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import dev.baton.protocol.workflow.StepKind;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;

/**
 * Sends an HTTP request. The output is {@code {status, headers, body}}; the body is JSON if it is
 * valid JSON, text otherwise.
 */
final class HttpStepExecutor implements StepExecutor<StepKind.Http> {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int REQUEST_TIMEOUT = 408;

  private final HttpSender sender;

  /**
   * @param maxBody limit of a response body in bytes
   * @param addresses to which it may connect
   * @param tls whose authorities servers may have, in addition to those of the JDK
   */
  HttpStepExecutor(int maxBody, HttpAddressPolicy addresses, TlsSettings tls) {
    this(new HttpSender(maxBody, SystemDefaultDnsResolver.INSTANCE, addresses, tls));
  }

  HttpStepExecutor(HttpSender sender) {
    this.sender = sender;
  }

  @Override
  public StepResult execute(StepKind.Http kind, StepContext context) throws InterruptedException {
    Duration limit = context.deadline().leftAtMost(kind.timeout());
    HttpStepRequest message;
    try {
      message = message(kind, context);
    } catch (IllegalArgumentException e) {
      return StepResult.failedForGood(
          "argument_invalid", "cannot create the request: " + e.getMessage());
    }
    try {
      return judge(kind, sender.send(message, limit));
    } catch (TimeoutException | SocketTimeoutException e) {
      return StepResult.failed(
          "timeout", "no complete response within " + limit.toMillis() + " ms");
    } catch (HttpSender.TooLargeException e) {
      return StepResult.failedForGood("output_invalid", String.valueOf(e.getMessage()));
    } catch (HttpAddressPolicy.DeniedAddressException e) {
      return StepResult.failedForGood("address_denied", String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return StepResult.failed(
          "http_io",
          message.target() + ": " + TlsFailure.explain(e, "the step's url", Throwable::toString));
    }
  }

  private static HttpStepRequest message(StepKind.Http kind, StepContext context) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers.put("Idempotency-Key", context.idempotencyKey());
    JsonNode body =
        kind.body().map(tree -> tree.evaluate(context.scope(), context.secrets())).orElse(null);
    if (body != null) {
      headers.put(
          "Content-Type", body.isTextual() ? "text/plain; charset=utf-8" : "application/json");
    }
    kind.headers()
        .forEach(
            (name, value) ->
                headers.put(
                    name,
                    HttpHeaderPolicy.check(
                        name, value.render(context.scope(), context.secrets()))));
    return new HttpStepRequest(
        kind.method(),
        HttpTarget.of(kind.url().render(context.scope())),
        headers,
        body == null
            ? null
            : body.isTextual()
                ? body.textValue().getBytes(StandardCharsets.UTF_8)
                : Json.bytes(body));
  }

  private static StepResult judge(StepKind.Http kind, HttpStepRequest.Answer answer) {
    int status = answer.status();
    if (!kind.expects(status)) {
      String message = "the response status is " + status;
      boolean mayPass = status >= 500 || status == TOO_MANY_REQUESTS || status == REQUEST_TIMEOUT;
      return mayPass
          ? StepResult.failed("http_status", message)
          : StepResult.failedForGood("http_status", message);
    }
    ObjectNode output = JsonNodeFactory.instance.objectNode();
    output.put("status", status);
    ObjectNode headers = output.putObject("headers");
    answer.headers().forEach(headers::put);
    try {
      output.set(
          "body",
          HttpBodyDecoder.decode(answer.body(), answer.headers().getOrDefault("content-type", "")));
    } catch (UnsupportedCharsetException e) {
      return StepResult.failedForGood(
          "output_invalid", "the response charset '" + e.getCharsetName() + "' is not supported");
    }
    return StepResult.done(output);
  }
}
