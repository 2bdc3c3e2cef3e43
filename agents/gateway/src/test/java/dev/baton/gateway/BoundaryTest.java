/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.gateway.boundary.BoundaryPoint;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Boundaries are found where no call is open, and answers wait for their capture. */
class BoundaryTest {
  private static final ScriptedReply TWO_CALLS =
      ScriptedReply.call("Bash", "{\"a\":1}").with(new ReplyPart.ToolCall("Bash", "{\"a\":2}"));
  private static final ScriptedReply CALL = ScriptedReply.call("Bash", "{\"a\":1}");
  private static final ScriptedReply END = ScriptedReply.text("done");

  private final Queue<String> captured = new ConcurrentLinkedQueue<>();

  private void note(BoundaryPoint point) {
    captured.add(GatewayRig.name(point));
  }

  /** Ends the first capture when two requests have come: neither conversation started the other. */
  private void noteWithTwoRequests(GatewayRig rig, BoundaryPoint point)
      throws IOException, InterruptedException {
    note(point);
    if (!rig.endpoint.awaitRequests(2, Duration.ofSeconds(20))) {
      throw new IOException("the second request has not come");
    }
  }

  /**
   * Lets a boundary be kept away for longer than the 100 ms of these tests, after which requests
   * wait. Time alone causes this; no event shows it before the next request.
   */
  private static void letBoundaryTimePass() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(150);
  }

  /** The conversation with the answer to its last request, and the results of some of its calls. */
  private static ObjectNode next(ObjectNode body, HttpResponse<String> answer, int results)
      throws IOException {
    ObjectNode more = body.deepCopy();
    ArrayNode messages = (ArrayNode) more.path("messages");
    ObjectNode message = (ObjectNode) Json.mapper().readTree(answer.body());
    ObjectNode said = messages.addObject().put("role", "assistant");
    said.set("content", message.path("content"));
    ArrayNode content = messages.addObject().put("role", "user").putArray("content");
    int left = results;
    for (var block : message.path("content")) {
      if (block.path("type").asText().equals("tool_use") && left-- > 0) {
        content
            .addObject()
            .put("type", "tool_result")
            .put("tool_use_id", block.path("id").asText())
            .put("content", "ok");
      }
    }
    return more;
  }

  private static CompletableFuture<HttpResponse<String>> send(
      GatewayRig rig, GatewaySession session, String caller, ObjectNode body) {
    HttpRequest request =
        rig.request(rig.gateway.baseUrl(), "/v1/messages", session.token(), Json.bytes(body))
            .header("x-claude-code-session-id", caller)
            .build();
    return rig.client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> answer(
      GatewayRig rig, GatewaySession session, String caller, ObjectNode body) throws Exception {
    return send(rig, session, caller, body).get(20, TimeUnit.SECONDS);
  }

  @Test
  void shouldCaptureAtEachRequestWithoutOpenCalls() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(ModelScript.sequence(TWO_CALLS, CALL, END)).boundaries(this::note)) {
      GatewaySession session = rig.open();
      ObjectNode first = GatewayRig.messages(false, "go");
      HttpResponse<String> answer = answer(rig, session, "main", first);
      ObjectNode second = next(first, answer, 2);
      HttpResponse<String> more = answer(rig, session, "main", second);
      answer(rig, session, "main", next(second, more, 1));

      assertThat(captured).containsExactly("1 []", "2 [toolu_1_0, toolu_1_1]", "3 [toolu_2_0]");
      assertThat(rig.seen()).contains("boundary 1", "boundary 2", "boundary 3");
    }
  }

  @Test
  void shouldHoldTheAnswerUntilTheCaptureEndsButSendTheRequestAtOnce() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    try (GatewayRig rig =
        new GatewayRig(ModelScript.sequence(END))
            .boundaries(
                point -> {
                  if (!release.await(20, TimeUnit.SECONDS)) {
                    throw new IOException("not released");
                  }
                })) {
      CompletableFuture<HttpResponse<String>> answer =
          send(rig, rig.open(), "main", GatewayRig.messages(true, "go"));
      assertThat(rig.endpoint.awaitCompleted(1, Duration.ofSeconds(10))).isTrue();
      assertThat(isHeld(answer, 200)).isTrue();
      // What the log has after the checkpoint is what the agent does not have in it.
      assertThat(rig.journal.answers()).isEmpty();

      release.countDown();

      assertThat(answer.get(20, TimeUnit.SECONDS).body()).contains("message_stop");
      assertThat(rig.journal.answers()).hasSize(1);
    }
  }

  private static boolean isHeld(CompletableFuture<?> answer, int millis) throws Exception {
    try {
      answer.get(millis, TimeUnit.MILLISECONDS);
      return false;
    } catch (TimeoutException e) {
      return true;
    }
  }

  @Test
  void shouldContinueWithoutACaptureThatFailsOrHangs() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(END),
            config ->
                config.withBoundaries(
                    new dev.baton.gateway.boundary.BoundaryPolicy(
                        Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofMillis(300))))) {
      GatewaySession session = rig.open();
      rig.boundaries(
          point -> {
            throw new IOException("the store is down");
          });
      answer(rig, session, "main", GatewayRig.messages(true, "one"));
      CountDownLatch never = new CountDownLatch(1);
      rig.boundaries(point -> never.await());
      answer(rig, session, "main", GatewayRig.messages(true, "two"));

      assertThat(rig.seen())
          .contains("boundary failed 1: the store is down")
          .contains("boundary failed 2: it took longer than PT0.3S");
    }
  }

  @Test
  void shouldCaptureNothingWhileASubAgentWorks() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
                ModelScript.sequence(CALL, CALL, END, END),
                config -> config.withBoundaries(GatewayRig.boundaryTimes(100, 60_000)))
            .boundaries(this::note)) {
      GatewaySession session = rig.open();
      ObjectNode main = GatewayRig.messages(false, "go");
      HttpResponse<String> task = answer(rig, session, "main", main);
      ObjectNode sub = GatewayRig.messages(false, "sub");
      HttpResponse<String> work = answer(rig, session, "sub", sub);
      letBoundaryTimePass();
      // The call of the main conversation ends after the sub-agent: waiting would not help.
      long from = System.nanoTime();
      answer(rig, session, "sub", next(sub, work, 1));
      assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(30));
      assertThat(captured).containsExactly("1 []");
      assertThat(rig.seen()).contains("unreachable [Bash (toolu_1_0)]");

      answer(rig, session, "main", next(main, task, 1));

      assertThat(captured).containsExactly("1 []", "2 [toolu_1_0]");
    }
  }

  @Test
  void shouldLetRequestsWaitForABoundaryThatOthersKeepAway() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
                ModelScript.sequence(CALL, CALL, END, END),
                config -> config.withBoundaries(GatewayRig.boundaryTimes(100, 10_000)))
            .boundaries(this::note)) {
      GatewaySession session = rig.open();
      rig.boundaries(point -> noteWithTwoRequests(rig, point));
      ObjectNode one = GatewayRig.messages(false, "one");
      ObjectNode two = GatewayRig.messages(false, "two");
      CompletableFuture<HttpResponse<String>> second = send(rig, session, "two", two);
      HttpResponse<String> first = answer(rig, session, "one", one);
      HttpResponse<String> other = second.get(20, TimeUnit.SECONDS);
      letBoundaryTimePass();

      CompletableFuture<HttpResponse<String>> waits =
          send(rig, session, "one", next(one, first, 1));
      assertThat(isHeld(waits, 300)).isTrue();
      int before = captured.size();
      answer(rig, session, "two", next(two, other, 1));
      waits.get(20, TimeUnit.SECONDS);

      assertThat(captured).hasSize(before + 1);
      assertThat(rig.seen()).noneMatch(event -> event.startsWith("unreachable"));
    }
  }

  @Test
  void shouldReportABoundaryThatIsNotReached() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
                ModelScript.sequence(CALL, CALL, END, END),
                config -> config.withBoundaries(GatewayRig.boundaryTimes(100, 300)))
            .boundaries(this::note)) {
      GatewaySession session = rig.open();
      rig.boundaries(point -> noteWithTwoRequests(rig, point));
      ObjectNode one = GatewayRig.messages(false, "one");
      CompletableFuture<HttpResponse<String>> second =
          send(rig, session, "two", GatewayRig.messages(false, "two"));
      HttpResponse<String> first = answer(rig, session, "one", one);
      second.get(20, TimeUnit.SECONDS);
      letBoundaryTimePass();

      assertThat(answer(rig, session, "one", next(one, first, 1)).statusCode()).isEqualTo(200);

      assertThat(rig.seen()).anyMatch(event -> event.startsWith("unreachable [Bash (toolu_"));
    }
  }

  @Test
  void shouldGiveTheNextSessionTheAnswerThatAnEndedOneHeld() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(CALL, CALL, END),
            config -> config.withBoundaries(GatewayRig.boundaryTimes(100, 120_000)))) {
      GatewaySession session = rig.open();
      rig.boundaries(point -> noteWithTwoRequests(rig, point));
      ObjectNode one = GatewayRig.messages(false, "one");
      CompletableFuture<HttpResponse<String>> second =
          send(rig, session, "two", GatewayRig.messages(false, "two"));
      HttpResponse<String> first = answer(rig, session, "one", one);
      second.get(20, TimeUnit.SECONDS);
      letBoundaryTimePass();
      ObjectNode more = next(one, first, 1);
      CompletableFuture<HttpResponse<String>> waits = send(rig, session, "one", more);
      assertThat(rig.endpoint.awaitCompleted(3, Duration.ofSeconds(20))).isTrue();
      assertThat(isHeld(waits, 300)).as("the call of 'two' is open").isTrue();

      session.close();
      GatewaySession resumed = rig.open(rig.journal.answers());

      assertThat(answer(rig, resumed, "one", more).body()).contains("done");
      assertThat(rig.endpoint.requests()).as("paid once").hasSize(3);
      assertThat(rig.seen()).noneMatch(event -> event.startsWith("unreachable"));
    }
  }

  @Test
  void shouldNotJournalAnEarlierSessionsAnswerDuringACapture() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch capturing = new CountDownLatch(1);
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(ScriptedReply.text("late").after(Duration.ofSeconds(1)), END))) {
      GatewaySession session = rig.open();
      ObjectNode one = GatewayRig.messages(false, "one");
      send(rig, session, "one", one);
      assertThat(rig.endpoint.awaitRequests(1, Duration.ofSeconds(20))).isTrue();
      session.close();
      GatewaySession resumed = rig.open(rig.journal.answers());
      rig.boundaries(
          point -> {
            capturing.countDown();
            if (!release.await(20, TimeUnit.SECONDS)) {
              throw new IOException("not released");
            }
          });
      CompletableFuture<HttpResponse<String>> late = send(rig, resumed, "one", one);
      CompletableFuture<HttpResponse<String>> other =
          send(rig, resumed, "two", GatewayRig.messages(false, "two"));
      assertThat(capturing.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(rig.endpoint.awaitCompleted(2, Duration.ofSeconds(20))).isTrue();
      // Behind the checkpoint of this capture the answer would not be given again.
      assertThat(rig.journal.awaitAnswers(1, Duration.ofMillis(300))).isFalse();

      release.countDown();

      assertThat(late.get(20, TimeUnit.SECONDS).body()).contains("late");
      assertThat(other.get(20, TimeUnit.SECONDS).body()).contains("done");
      assertThat(rig.journal.awaitAnswers(2, Duration.ofSeconds(20))).isTrue();
      assertThat(rig.endpoint.requests()).hasSize(2);
    }
  }

  @Test
  void shouldNotCaptureForAReplay() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(CALL, END)).boundaries(this::note)) {
      ObjectNode first = GatewayRig.messages(false, "go");
      answer(rig, rig.open(), "main", first);
      GatewaySession resumed = rig.open(rig.journal.answers());
      HttpResponse<String> replay = answer(rig, resumed, "main", first);
      answer(rig, resumed, "main", next(first, replay, 1));

      // The second one is the first of the resumed session.
      assertThat(captured).containsExactly("1 []", "1 [toolu_1_0]");
      assertThat(List.copyOf(rig.endpoint.requests())).hasSize(2);
    }
  }
}
