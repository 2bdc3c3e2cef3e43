/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.upstream;

import dev.baton.protocol.tls.TlsFailure;
import dev.baton.protocol.tls.TlsSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Sends requests to the endpoint of a form with its key. One call is one request; the caller
 * repeats it. No key and no token of an agent is part of a message. Thread-safe.
 */
public final class UpstreamClient implements AutoCloseable {
  private static final Set<Integer> RETRYABLE = Set.of(408, 429, 500, 502, 503, 504, 529);

  /** Headers of the agent that are about its own connection or its own key. */
  private static final Set<String> DROPPED =
      Set.of(
          "accept-encoding",
          "api-key",
          "authorization",
          "connection",
          "content-length",
          "cookie",
          "expect",
          "host",
          "http2-settings",
          "keep-alive",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "x-api-key",
          "x-goog-api-key");

  /** The key of an endpoint's address. */
  private static final String URL = "baton.models.*.url";

  private static final List<String> KEPT_OF_ERRORS =
      List.of("content-type", "retry-after", "request-id", "x-request-id", "x-should-retry");

  private final HttpClient client;
  private final KeyResolver keys;
  private final UpstreamLimits limits;
  private final Supplier<Instant> now;

  /**
   * @param now for the dates in {@code Retry-After}
   * @param tls whose authorities endpoints may have, in addition to those of the JDK
   */
  public UpstreamClient(
      KeyResolver keys, UpstreamLimits limits, Supplier<Instant> now, TlsSettings tls) {
    this.keys = keys;
    this.limits = limits;
    this.now = now;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(limits.connect())
            .followRedirects(HttpClient.Redirect.NEVER)
            .sslContext(tls.contextOfOthers())
            .build();
  }

  /**
   * A request.
   *
   * @param path begins with {@code /v1/}; with its query
   * @param keyHeader name of the header for the key
   * @param keyPrefix what precedes the key
   * @param agentHeaders those of the agent, which are forwarded without its token
   * @param token the agent's token, which never leaves
   */
  public record Call(
      ModelUpstream upstream,
      String method,
      String path,
      String keyHeader,
      String keyPrefix,
      Map<String, List<String>> agentHeaders,
      byte[] body,
      String token) {}

  /**
   * A response with status 2xx.
   *
   * @param body closes the connection when it is closed early
   */
  public record Response(int status, Map<String, List<String>> headers, InputStream body)
      implements AutoCloseable {
    /** The first value of a header; empty where it is absent. */
    public String header(String name) {
      return headers.getOrDefault(name, List.of("")).getFirst();
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }

  /**
   * Sends a request and waits for the status.
   *
   * @throws UpstreamException without a response, or for one with another status than 2xx
   * @throws IOException when the key cannot be resolved
   */
  public Response send(Call call) throws IOException, InterruptedException {
    String reference = call.upstream().keyReference();
    String key = reference == null ? "" : keys.resolve(reference);
    HttpRequest request = request(call, key);
    HttpResponse<InputStream> response;
    try {
      response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    } catch (HttpTimeoutException e) {
      throw failed("no response in time", true);
    } catch (ConnectException e) {
      throw failed("connection refused by " + address(request.uri()), true);
    } catch (IOException e) {
      throw failed(
          "connection to %s failed: %s"
              .formatted(
                  address(request.uri()),
                  TlsFailure.explain(
                      e, URL, other -> masked(String.valueOf(other.getMessage()), key))),
          TlsFailure.of(e).filter(TlsFailure::isLasting).isEmpty());
    }
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      return new Response(status, response.headers().map(), response.body());
    }
    throw refused(response, key);
  }

  private HttpRequest request(Call call, String key) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(call.upstream().url(call.path())).timeout(limits.firstByte());
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    call.agentHeaders()
        .forEach(
            (name, values) -> {
              String value = String.join(", ", values);
              if (!DROPPED.contains(name.toLowerCase(Locale.ROOT))
                  && !value.contains(call.token())) {
                headers.put(name, value);
              }
            });
    headers.put("accept-encoding", "identity");
    headers.putAll(call.upstream().headers());
    if (!key.isEmpty()) {
      headers.put(call.keyHeader(), call.keyPrefix() + key);
    }
    headers.forEach(request::setHeader);
    return request
        .method(
            call.method(),
            call.body().length == 0
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(call.body()))
        .build();
  }

  private static String address(URI uri) {
    return uri.getHost() + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
  }

  private static UpstreamException failed(String reason, boolean retryable) {
    return new UpstreamException(UpstreamFailure.withoutResponse(reason), retryable, Duration.ZERO);
  }

  private UpstreamException refused(HttpResponse<InputStream> response, String key) {
    byte[] body;
    try (InputStream in = response.body()) {
      body = in.readNBytes(limits.maxErrorBytes());
    } catch (IOException e) {
      body = new byte[0];
    }
    String text = masked(new String(body, StandardCharsets.UTF_8), key);
    Map<String, String> kept = new HashMap<>();
    for (String name : KEPT_OF_ERRORS) {
      response.headers().firstValue(name).ifPresent(value -> kept.put(name, masked(value, key)));
    }
    int status = response.statusCode();
    boolean retryable =
        RETRYABLE.contains(status)
            && !"false".equals(kept.get("x-should-retry"))
            && !text.contains("insufficient_quota");
    return new UpstreamException(
        new UpstreamFailure(status, "HTTP " + status, text.getBytes(StandardCharsets.UTF_8), kept),
        retryable,
        retryAfter(response));
  }

  private static String masked(String text, String key) {
    return key.length() < 4 ? text : text.replace(key, "***");
  }

  private Duration retryAfter(HttpResponse<?> response) {
    try {
      String millis = response.headers().firstValue("retry-after-ms").orElse("");
      if (!millis.isEmpty()) {
        return Duration.ofMillis((long) Double.parseDouble(millis));
      }
      String value = response.headers().firstValue("retry-after").orElse("");
      if (value.isEmpty()) {
        return Duration.ZERO;
      }
      if (Character.isDigit(value.charAt(0))) {
        return Duration.ofMillis((long) (Double.parseDouble(value) * 1_000));
      }
      Instant at = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration left = Duration.between(now.get(), at);
      return left.isNegative() ? Duration.ZERO : left;
    } catch (NumberFormatException | DateTimeParseException e) {
      return Duration.ZERO;
    }
  }

  /**
   * Reads a body within the bound on answers.
   *
   * @throws IOException when it is larger, or the connection breaks off
   */
  public byte[] body(Response response) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[16 * 1024];
    for (int read = response.body().read(buffer); read >= 0; read = response.body().read(buffer)) {
      if (bytes.size() + read > limits.maxAnswerBytes()) {
        throw new IOException("the answer is larger than " + limits.maxAnswerBytes() + " bytes");
      }
      bytes.write(buffer, 0, read);
    }
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
