/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers reach the agent word for word, are journaled before their end, and are replayed. */
class AnswerTest {
  private static final ScriptedReply RICH =
      ScriptedReply.empty()
          .with(new ReplyPart.Thinking("first think, then äct 🙂 and check"))
          .with(new ReplyPart.Text("I will run two commands:\n\nls and pwd"))
          .with(new ReplyPart.ToolCall("Bash", "{\"command\":\"ls -la\",\"n\":1.50}"))
          .with(new ReplyPart.ToolCall("Edit", "{\"command\":\"pwd\"}"))
          .usage(1_000, 200, 0, 50, 20);

  private static String withoutPings(String stream) {
    return stream.replace("event: ping\ndata: {\"type\":\"ping\"}\n\n", "");
  }

  /** The ids and times of the second request as those of the first. */
  private static String asFirst(String body) {
    return body.replaceAll(
            "(?<what>msg_|resp_|fc_|rs_|call_|toolu_|enc-|sig-|chatcmpl-)2(?![0-9])", "${what}1")
        .replace("1700000002", "1700000001");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/messages?beta=true,true",
    "/v1/messages,false",
    "/v1/responses,true",
    "/responses,false",
    "/v1/chat/completions,true",
    "/chat/completions,false"
  })
  void shouldPassAnAnswerOnAndReplayIt(String path, boolean stream) throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(RICH))) {
      String plain = path.replace("?beta=true", "");
      ObjectNode body = GatewayRig.body(plain, stream, "do it");
      if (plain.endsWith("completions") && stream) {
        body.putObject("stream_options").put("include_usage", true);
      }

      HttpResponse<String> first = rig.post(rig.open(), path, body);

      String direct =
          rig.client
              .send(
                  rig.request(
                          rig.endpoint.baseUrl(),
                          path.startsWith("/v1") ? path : "/v1" + path,
                          "x",
                          Json.bytes(body))
                      .build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.body()).isEqualTo(asFirst(withoutPings(direct)));
      assertThat(rig.journal.answers()).hasSize(1);
      JournaledAnswer journaled = rig.journal.answers().getFirst();
      assertThat(journaled.usage()).isNotNull();
      assertThat(journaled.usage().input()).isEqualTo(1_000);
      assertThat(journaled.usage().cacheRead()).isEqualTo(200);
      assertThat(journaled.usage().output()).isEqualTo(50);
      assertThat(journaled.cost()).isNotNull();
      assertThat(journaled.providerRequestId()).isEqualTo("req_1");
      assertThat(journaled.tools()).containsExactly("Bash", "Edit");

      HttpResponse<String> replay = rig.post(rig.open(rig.journal.answers()), path, body);

      assertThat(replay.statusCode()).isEqualTo(200);
      assertThat(rig.endpoint.requests()).hasSize(2);
      assertThat(rig.journal.answers()).hasSize(1);
      assertThat(rig.seen()).contains("replayed");
      if (!stream) {
        assertThat(Json.mapper().readTree(replay.body()))
            .isEqualTo(Json.mapper().readTree(first.body()));
      }
      // A replay in the other way gives the same answer.
      ObjectNode other = body.deepCopy().put("stream", !stream);
      other.remove("stream_options");
      HttpResponse<String> otherWay = rig.post(rig.open(rig.journal.answers()), path, other);
      assertThat(otherWay.statusCode()).isEqualTo(200);
      assertThat(rig.endpoint.requests()).hasSize(2);
      JsonNode whole =
          stream ? Json.mapper().readTree(otherWay.body()) : Json.mapper().readTree(first.body());
      String streamed = stream ? replay.body() : otherWay.body();
      assertThat(whole.toString())
          .contains("ls -la")
          .contains("two commands")
          .contains("then äct ");
      assertThat(streamed).contains("ls -la").contains("two commands").contains("then äct ");
      assertThat(whole.toString()).contains("_1");
    }
  }

  @Test
  void shouldHideUsageThatTheAgentDidNotRequest() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(RICH))) {
      HttpResponse<String> answer =
          rig.post(
              rig.open(),
              "/v1/chat/completions",
              GatewayRig.body("/v1/chat/completions", true, "do it"));

      assertThat(answer.body()).doesNotContain("usage").endsWith("data: [DONE]\n\n");
      assertThat(rig.journal.answers().getFirst().usage()).isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/messages", "/v1/responses", "/v1/chat/completions"})
  void shouldHoldTheEndUntilTheJournalAcknowledges(String path) throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(RICH))) {
      CountDownLatch held = rig.journal.hold();
      HttpResponse<InputStream> answer =
          rig.client.send(
              rig.request(
                      rig.gateway.baseUrl(),
                      path,
                      rig.open().token(),
                      Json.bytes(GatewayRig.body(path, true, "do it")))
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      List<String> lines = new ArrayList<>();
      Thread reader =
          Thread.ofVirtual()
              .start(
                  () ->
                      new BufferedReader(
                              new InputStreamReader(answer.body(), StandardCharsets.UTF_8))
                          .lines()
                          .forEach(
                              line -> {
                                synchronized (lines) {
                                  lines.add(line);
                                  lines.notifyAll();
                                }
                              }));
      synchronized (lines) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (lines.stream().noneMatch(line -> line.contains(" and pw"))
            && System.nanoTime() < end) {
          lines.wait(100);
        }
        assertThat(String.join("\n", lines)).contains(" and pw");
      }
      assertThat(reader.join(Duration.ofMillis(300))).isFalse();
      synchronized (lines) {
        assertThat(String.join("\n", lines))
            .doesNotContain("message_stop")
            .doesNotContain("{\"type\":\"content_block_stop\",\"index\":2}")
            .doesNotContain("function_call_arguments.done")
            .doesNotContain("response.completed")
            .doesNotContain("tool_calls")
            .doesNotContain("[DONE]");
      }
      assertThat(rig.journal.answers()).isEmpty();

      held.countDown();

      assertThat(reader.join(Duration.ofSeconds(20))).isTrue();
      assertThat(String.join("\n", lines))
          .containsAnyOf("message_stop", "response.completed", "[DONE]");
      assertThat(rig.journal.answers()).hasSize(1);
    }
  }

  @Test
  void shouldGiveNoAnswerThatTheJournalRefuses() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ScriptedReply.text("hello")))) {
      rig.journal.fail(true);
      GatewaySession session = rig.open();

      HttpResponse<String> whole = rig.post(session, GatewayRig.messages(false, "hi"));

      assertThat(whole.statusCode()).isEqualTo(503);
      assertThat(whole.body()).contains("the log does not acknowledge");
      rig.journal.fail(false);
      assertThat(rig.post(session, GatewayRig.messages(false, "hi")).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void shouldCallTheModelOnceForEqualRequestsAtTheSameTime() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(ScriptedReply.text("hello").after(Duration.ofMillis(300))))) {
      GatewaySession session = rig.open();
      List<Thread> threads = new ArrayList<>();
      List<String> bodies = java.util.Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < 4; i++) {
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        bodies.add(rig.post(session, GatewayRig.messages(true, "hi")).body());
                      } catch (Exception e) {
                        bodies.add(e.toString());
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }

      assertThat(rig.endpoint.requests()).hasSize(1);
      assertThat(bodies).hasSize(4).allMatch(body -> body.equals(bodies.getFirst()));
      assertThat(rig.ledger.total().turns()).isEqualTo(1);

      // The answer is delivered: an equal request is a new one.
      rig.post(session, GatewayRig.messages(true, "hi"));
      assertThat(rig.endpoint.requests()).hasSize(2);
    }
  }

  @Test
  void shouldCountADivergenceAfterAResume() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ScriptedReply.text("hello")))) {
      rig.post(rig.open(), GatewayRig.messages(true, "hi"));
      GatewaySession resumed = rig.open(rig.journal.answers());

      rig.post(resumed, GatewayRig.messages(true, "another prompt"));
      rig.post(resumed, GatewayRig.messages(true, "hi"));
      rig.post(resumed, GatewayRig.messages(true, "and more"));

      assertThat(rig.seen()).containsOnlyOnce("diverged 1").containsOnlyOnce("replayed");
      assertThat(rig.endpoint.requests()).hasSize(3);
    }
  }

  @Test
  void shouldNotCountAnAnswerBesideTheConversationAsADivergence() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ScriptedReply.text("hello")))) {
      ObjectNode title = GatewayRig.messages(true, "a title for this");
      title.put("system", "You write titles.");
      rig.post(rig.open(), title);
      GatewaySession resumed = rig.open(rig.journal.answers());

      rig.post(resumed, GatewayRig.messages(true, "and more"));

      assertThat(rig.seen()).noneMatch(event -> event.startsWith("diverged"));
    }
  }

  @Test
  void shouldGiveAnAnswerThatArrivesAfterTheAgentDiedToItsSuccessor() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(ScriptedReply.text("hello").after(Duration.ofMillis(400))))) {
      GatewaySession first = rig.open();
      java.util.concurrent.CompletableFuture<?> request =
          rig.client.sendAsync(
              rig.request(
                      rig.gateway.baseUrl(),
                      "/v1/messages",
                      first.token(),
                      Json.bytes(GatewayRig.messages(true, "hi")))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      while (rig.endpoint.requests().isEmpty()) {
        Thread.onSpinWait();
      }
      request.cancel(true);
      first.close();

      HttpResponse<String> answer = rig.post(rig.open(), GatewayRig.messages(true, "hi"));

      assertThat(answer.body()).contains("hello").contains("message_stop");
      assertThat(rig.endpoint.requests()).hasSize(1);
      assertThat(rig.post(first, GatewayRig.messages(true, "hi")).statusCode()).isEqualTo(403);
    }
  }

  @Test
  void shouldPassCountsAndModelsThrough() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ScriptedReply.text("hello")))) {
      GatewaySession session = rig.open();

      HttpResponse<String> count =
          rig.post(session, "/v1/messages/count_tokens", GatewayRig.messages(false, "hi"));
      HttpResponse<String> models =
          rig.client.send(
              java.net.http.HttpRequest.newBuilder(rig.gateway.baseUrl().resolve("/v1/models"))
                  .header("authorization", "Bearer " + session.token())
                  .build(),
              HttpResponse.BodyHandlers.ofString());

      assertThat(count.body()).contains("input_tokens");
      assertThat(models.body()).contains("list");
      assertThat(rig.journal.answers()).isEmpty();
    }
  }

  @Test
  void shouldAddFewMillisecondsToTheFirstByte() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ScriptedReply.text("hello")))) {
      GatewaySession session = rig.open();
      List<Double> direct = new ArrayList<>();
      List<Double> through = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        byte[] body = Json.bytes(GatewayRig.messages(true, "hi " + i));
        direct.add(firstByte(rig, rig.endpoint.baseUrl(), "x", body));
        through.add(firstByte(rig, rig.gateway.baseUrl(), session.token(), body));
      }
      direct.sort(null);
      through.sort(null);
      double added = through.get(150) - direct.get(150);
      System.out.printf(
          "first byte: direct %.2f ms, p99 %.2f; through the gateway %.2f ms, p99 %.2f%n",
          direct.get(150), direct.get(297), through.get(150), through.get(297));
      // An idle machine adds 1 to 5 ms. A packet that waits for its acknowledgement adds 40.
      assertThat(added).as("milliseconds added").isLessThan(20 + 5 * direct.get(150));
    }
  }

  private static double firstByte(GatewayRig rig, java.net.URI base, String token, byte[] body)
      throws Exception {
    long from = System.nanoTime();
    HttpResponse<InputStream> answer =
        rig.client.send(
            rig.request(base, "/v1/messages", token, body).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream in = answer.body()) {
      assertThat(in.read()).isGreaterThan(0);
      double millis = (System.nanoTime() - from) / 1e6;
      in.readAllBytes();
      return millis;
    }
  }
}
