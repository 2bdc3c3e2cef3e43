/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.gateway.upstream.UpstreamClient;
import dev.baton.gateway.upstream.UpstreamException;
import dev.baton.gateway.wire.InvalidRequestException;
import dev.baton.gateway.wire.ModelRequest;
import dev.baton.gateway.wire.WireErrorKind;
import dev.baton.gateway.wire.WireForm;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Handles the requests of agents: token, bounds, route. Thread-safe. */
final class GatewayHandler implements HttpHandler {
  /** Headers in which agents name a session. */
  private static final List<String> CALLERS =
      List.of(
          "x-claude-code-session-id",
          "x-session-id",
          "session_id",
          "session-id",
          "conversation_id",
          "x-session-affinity");

  /** Headers in which agents name the sub-agents of a session; Codex names its threads. */
  private static final List<String> SUB_AGENTS = List.of("x-claude-code-agent-id", "thread-id");

  private final GatewayConfig config;
  private final Function<String, @Nullable GatewaySession> sessions;
  private final UpstreamClient client;
  private final StallGuard stalls;
  private final GatewayObserver observer;
  private final Semaphore places;

  GatewayHandler(
      GatewayConfig config,
      Function<String, @Nullable GatewaySession> sessions,
      UpstreamClient client,
      StallGuard stalls,
      GatewayObserver observer) {
    this.config = config;
    this.sessions = sessions;
    this.client = client;
    this.stalls = stalls;
    this.observer = observer;
    this.places = new Semaphore(config.maxRequests());
  }

  /** Ends a request with an error of the gateway. */
  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    final WireErrorKind kind;

    RefusedException(WireErrorKind kind, String message) {
      super(message);
      this.kind = kind;
    }
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    boolean anthropic = exchange.getRequestHeaders().containsKey("anthropic-version");
    GatewayRoute route = GatewayRoute.of(path, anthropic);
    WireForm form =
        route != null ? route.form() : anthropic ? GatewayRoute.MESSAGES : GatewayRoute.RESPONSES;
    if (!places.tryAcquire()) {
      exchange.getResponseHeaders().set("retry-after", "1");
      refuse(
          exchange,
          form,
          WireErrorKind.UNAVAILABLE,
          "more than " + config.maxRequests() + " requests at the same time");
      return;
    }
    try {
      GatewaySession session = session(exchange, path);
      if (route == null) {
        throw new RefusedException(WireErrorKind.NOT_FOUND, "unknown path " + path);
      }
      if (!route.method().equals(exchange.getRequestMethod())) {
        throw new RefusedException(
            WireErrorKind.METHOD, exchange.getRequestMethod() + " is not " + route.method());
      }
      serve(exchange, route, session);
    } catch (RefusedException e) {
      refuse(exchange, form, e.kind, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      throw new IOException("the gateway is closing", e);
    } finally {
      places.release();
    }
  }

  /** Reads the rest of the request first: a client that still sends would not see the response. */
  private void refuse(HttpExchange exchange, WireForm form, WireErrorKind kind, String message)
      throws IOException {
    try (StallGuard.Watch watch = stalls.watch(config.agentStall())) {
      new RequestBodyReader(exchange.getRequestBody(), 0).read(watch::progress);
    }
    GatewayResponses.send(exchange, kind.status(), form.error(kind, message));
  }

  private GatewaySession session(HttpExchange exchange, String path) throws RefusedException {
    Headers headers = exchange.getRequestHeaders();
    String key = headers.getFirst("x-api-key");
    String authorization = headers.getFirst("authorization");
    if (key == null && authorization != null) {
      key =
          authorization.regionMatches(true, 0, "bearer ", 0, 7)
              ? authorization.substring(7).strip()
              : authorization;
    }
    GatewaySession session = key == null ? null : sessions.apply(key);
    if (session == null) {
      observer.refusedToken(path);
      throw new RefusedException(
          WireErrorKind.FORBIDDEN,
          key == null
              ? "the request has no token"
              : "the token opens no session: it is of another run or epoch, or has ended");
    }
    return session;
  }

  private void serve(HttpExchange exchange, GatewayRoute route, GatewaySession session)
      throws IOException, RefusedException, InterruptedException {
    ModelUpstream upstream = config.upstreams().get(route.form().id());
    if (upstream == null && !route.answered() && route.method().equals("GET")) {
      upstream = config.upstreams().values().stream().findFirst().orElse(null);
    }
    if (upstream == null) {
      throw new RefusedException(
          WireErrorKind.NOT_FOUND, "no endpoint is configured for " + route.form().id());
    }
    byte[] body = body(exchange);
    if (route.answered()) {
      answer(exchange, route, session, upstream, body);
    } else {
      passThrough(exchange, call(exchange, route, session, upstream, body), route, session);
    }
  }

  private byte[] body(HttpExchange exchange) throws IOException, RefusedException {
    String encoding = exchange.getRequestHeaders().getFirst("content-encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new RefusedException(
          WireErrorKind.INVALID_REQUEST, "content-encoding '" + encoding + "' is not supported");
    }
    try (StallGuard.Watch watch = stalls.watch(config.agentStall())) {
      RequestBodyReader reader =
          new RequestBodyReader(exchange.getRequestBody(), config.maxRequestBytes());
      byte[] body = reader.read(watch::progress);
      if (body == null) {
        throw new RefusedException(
            WireErrorKind.TOO_LARGE,
            "the request is larger than " + config.maxRequestBytes() + " bytes");
      }
      return body;
    }
  }

  private UpstreamClient.Call call(
      HttpExchange exchange,
      GatewayRoute route,
      GatewaySession session,
      ModelUpstream upstream,
      byte[] body) {
    String query = exchange.getRequestURI().getRawQuery();
    WireForm.KeyHeader header = route.form().keyHeader();
    return new UpstreamClient.Call(
        upstream,
        route.method(),
        query == null ? route.path() : route.path() + "?" + query,
        header.name(),
        header.prefix(),
        exchange.getRequestHeaders(),
        TokenMask.mask(body, session.token()),
        session.token());
  }

  private void answer(
      HttpExchange exchange,
      GatewayRoute route,
      GatewaySession session,
      ModelUpstream upstream,
      byte[] body)
      throws IOException, RefusedException, InterruptedException {
    WireForm form = route.form();
    ObjectNode json = parsed(body);
    ModelRequest request;
    try {
      request = form.parse(json);
    } catch (InvalidRequestException e) {
      throw new RefusedException(WireErrorKind.INVALID_REQUEST, String.valueOf(e.getMessage()));
    }
    ObjectNode sent = form.upstreamBody(json);
    byte[] bytes = sent == json ? body : Json.bytes(sent);
    String conversation = session.conversation(caller(exchange.getRequestHeaders()), request);
    GatewaySession.Claim claim =
        session.claim(form, request, json, conversation, config.limits().maxAnswerBytes());
    if (claim.isNew()) {
      AnswerCaller caller =
          new AnswerCaller(
              session,
              claim.occurrence(),
              form,
              request,
              call(exchange, route, session, upstream, bytes),
              client,
              config,
              stalls);
      Thread.ofVirtual().name("model-call").start(caller);
    }
    new AnswerDelivery(exchange, form, request, claim.occurrence(), stalls, config).run();
  }

  private static ObjectNode parsed(byte[] body) throws RefusedException {
    try {
      if (Json.parsedTree(body) instanceof ObjectNode object) {
        return object;
      }
      throw new RefusedException(
          WireErrorKind.INVALID_REQUEST, "the request body is not a JSON object");
    } catch (JsonProcessingException e) {
      throw new RefusedException(
          WireErrorKind.INVALID_REQUEST, "the request body is not JSON: " + e.getOriginalMessage());
    }
  }

  private static @Nullable String caller(Headers headers) {
    for (String name : CALLERS) {
      String value = headers.getFirst(name);
      if (value != null && !value.isEmpty()) {
        String agent = subAgent(headers);
        return agent == null || agent.equals(value) ? value : value + "/" + agent;
      }
    }
    return null;
  }

  private static @Nullable String subAgent(Headers headers) {
    return SUB_AGENTS.stream()
        .map(headers::getFirst)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private void passThrough(
      HttpExchange exchange, UpstreamClient.Call call, GatewayRoute route, GatewaySession session)
      throws IOException, RefusedException, InterruptedException {
    if (session.spec().lease().await(config.leasePatience()) != LeaseGate.Standing.HELD) {
      throw new RefusedException(WireErrorKind.UNAVAILABLE, "the runner does not hold its lease");
    }
    try (UpstreamClient.Response response = client.send(call);
        StallGuard.Watch watch = stalls.watch(config.limits().idle())) {
      byte[] body = client.body(response);
      watch.progress();
      String type = response.header("content-type");
      if (!type.isEmpty()) {
        exchange.getResponseHeaders().set("content-type", type);
      }
      GatewayResponses.send(exchange, response.status(), body);
    } catch (UpstreamException e) {
      byte[] body = e.failure().body();
      if (body == null || body.length == 0) {
        throw new RefusedException(
            WireErrorKind.UPSTREAM, "model endpoint: " + e.failure().reason());
      }
      e.failure()
          .headers()
          .forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
      GatewayResponses.send(exchange, e.failure().status(), body);
    }
  }

  /** Removes the token of a session from what leaves. */
  private static final class TokenMask {
    private TokenMask() {}

    static byte[] mask(byte[] body, String token) {
      byte[] secret = token.getBytes(StandardCharsets.US_ASCII);
      byte[] copy = null;
      for (int i = 0; i + secret.length <= body.length; i++) {
        if (body[i] == secret[0]
            && Arrays.equals(body, i, i + secret.length, secret, 0, secret.length)) {
          copy = copy == null ? body.clone() : copy;
          Arrays.fill(copy, i, i + secret.length, (byte) '*');
        }
      }
      return copy == null ? body : copy;
    }
  }
}
