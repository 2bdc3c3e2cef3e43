/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.boundary.BoundaryCapture;
import dev.baton.gateway.boundary.BoundaryPoint;
import dev.baton.gateway.boundary.BoundaryPolicy;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.gateway.spend.ModelPriceTable;
import dev.baton.gateway.spend.SpendBudget;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.gateway.spend.SpendTotal;
import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.gateway.upstream.RetryPolicy;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ScriptedModelServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A scripted endpoint, a gateway before it, and a client. */
final class GatewayRig implements AutoCloseable {
  static final String KEY = "sk-real-0123456789";
  static final RetryPolicy FAST =
      new RetryPolicy(5, Duration.ofSeconds(20), Duration.ofMillis(5), Duration.ofMillis(20));

  final ScriptedModelServer endpoint;
  final MemoryJournal journal = new MemoryJournal();
  final Queue<String> events = new ConcurrentLinkedQueue<>();
  final ModelGateway gateway;
  final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  SpendLedger ledger = ledger(SpendBudget.UNLIMITED);
  BoundaryCapture capture = point -> {};
  LeaseGate lease = max -> LeaseGate.Standing.HELD;

  GatewayRig(ModelScript script) throws IOException {
    this(script, config -> config);
  }

  GatewayRig(ModelScript script, java.util.function.UnaryOperator<GatewayConfig> changes)
      throws IOException {
    endpoint = ScriptedModelServer.start(script);
    gateway = gateway(endpoint.baseUrl(), changes);
  }

  ModelGateway gateway(URI url, java.util.function.UnaryOperator<GatewayConfig> changes)
      throws IOException {
    ModelUpstream upstream = new ModelUpstream(url, "env:KEY", Map.of());
    GatewayConfig config =
        GatewayConfig.of(
                Map.of(
                    "anthropic-messages", upstream,
                    "openai-responses", upstream,
                    "openai-chat", upstream))
            .withRetries(FAST);
    return ModelGateway.start(
        changes.apply(config), reference -> KEY, Clock.systemUTC(), observer());
  }

  static SpendLedger ledger(SpendBudget budget) {
    return new SpendLedger(
        "01run", budget, ModelPriceTable.standard(), Clock.systemUTC(), SpendTotal.NONE);
  }

  GatewaySession open() {
    return open(List.of());
  }

  GatewaySession open(List<JournaledAnswer> answers) {
    return open(gateway, answers, AgentFamily.CLAUDE);
  }

  GatewaySession open(ModelGateway at, List<JournaledAnswer> answers, AgentFamily family) {
    return at.open(
        new SessionSpec(
            "01run",
            1,
            "work",
            family,
            ledger,
            answers,
            journal,
            point -> capture.capture(point),
            max -> lease.await(max),
            observer()));
  }

  private GatewayObserver observer() {
    return new GatewayObserver() {
      @Override
      public void replayed(JournaledAnswer answer) {
        events.add("replayed");
      }

      @Override
      public void diverged(String conversation, String key, int answersLeft) {
        events.add("diverged " + answersLeft);
      }

      @Override
      public void retried(String conversation, int attempt, String reason, Duration delay) {
        events.add("retried " + reason);
      }

      @Override
      public void brokenOff(String conversation, String reason) {
        events.add("broken off");
      }

      @Override
      public void budgetStopped(String budget, String message) {
        events.add("budget " + budget);
      }

      @Override
      public void boundaryReached(int number, Duration took) {
        events.add("boundary " + number);
      }

      @Override
      public void boundaryFailed(int number, String reason) {
        events.add("boundary failed " + number + ": " + reason);
      }

      @Override
      public void boundaryUnreachable(List<String> openCalls) {
        events.add("unreachable " + openCalls);
      }

      @Override
      public void refusedToken(String path) {
        events.add("refused " + path);
      }
    };
  }

  /** A conversation of the user with the given texts; the model is priced. */
  static ObjectNode messages(boolean stream, String... texts) {
    ObjectNode body = Json.mapper().createObjectNode();
    body.put("model", "claude-sonnet-4-5").put("max_tokens", 1_000).put("stream", stream);
    ArrayNode messages = body.putArray("messages");
    for (String text : texts) {
      messages.addObject().put("role", "user").put("content", text);
    }
    return body;
  }

  static ObjectNode body(String path, boolean stream, String text) {
    ObjectNode body = messages(stream, text);
    if (path.endsWith("responses")) {
      body.put("model", "gpt-5");
      body.set("input", body.remove("messages"));
      body.remove("max_tokens");
    } else if (path.endsWith("completions")) {
      body.put("model", "gpt-5");
    }
    return body;
  }

  HttpRequest.Builder request(URI base, String path, String token, byte[] body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(path))
            .timeout(Duration.ofSeconds(60))
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    return path.contains("messages")
        ? request.header("x-api-key", token).header("anthropic-version", "2023-06-01")
        : request.header("authorization", "Bearer " + token);
  }

  HttpResponse<String> post(GatewaySession session, String path, ObjectNode body)
      throws IOException, InterruptedException {
    return client.send(
        request(gateway.baseUrl(), path, session.token(), Json.bytes(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> post(GatewaySession session, ObjectNode body)
      throws IOException, InterruptedException {
    return post(session, "/v1/messages", body);
  }

  List<String> seen() {
    return new ArrayList<>(events);
  }

  GatewayRig boundaries(BoundaryCapture captures) {
    capture = captures;
    return this;
  }

  static BoundaryPolicy boundaryTimes(int patienceMillis, int waitMillis) {
    return new BoundaryPolicy(
        Duration.ofMillis(patienceMillis), Duration.ofMillis(waitMillis), Duration.ofSeconds(5));
  }

  static String name(BoundaryPoint point) {
    return point.number() + " " + point.lastCalls();
  }

  @Override
  public void close() {
    gateway.close();
    endpoint.close();
    client.close();
  }
}
