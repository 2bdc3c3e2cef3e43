/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.gateway.upstream.RetryPolicy;
import dev.baton.gateway.upstream.UpstreamLimits;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyFault;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of endpoints and agents have bounds, and no answer is lost or taken twice. */
class FaultTest {
  /** Begins as UTF-32 does, and then has a character that does not exist. */
  private static final String NO_UTF_32 = "\0\0\0\"\u007f\0\0\0";

  private static final ScriptedReply GOOD = ScriptedReply.text("a good answer");

  static Stream<Arguments> repeated() {
    return Stream.of("/v1/messages", "/v1/responses", "/v1/chat/completions")
        .flatMap(
            path ->
                Stream.of(
                        new ReplyFault.ErrorStatus(429, "0", "slow down"),
                        new ReplyFault.ErrorStatus(500, "", "oops"),
                        new ReplyFault.ErrorStatus(502, "", "oops"),
                        new ReplyFault.ErrorStatus(503, "", "oops"),
                        new ReplyFault.ErrorStatus(529, "", "overloaded"),
                        new ReplyFault.BreakOff(0),
                        new ReplyFault.ErrorEvent(0),
                        new ReplyFault.Garbage("text/html", "<html>no model here</html>"),
                        new ReplyFault.Garbage("text/event-stream", "data: {broken\n\n"),
                        new ReplyFault.Garbage("text/event-stream", "<html>\n\n"),
                        new ReplyFault.Garbage("application/json", "[1, 2"),
                        new ReplyFault.Garbage("application/json", NO_UTF_32),
                        new ReplyFault.Garbage("application/json", "{\"a\": 1}"),
                        new ReplyFault.Garbage("text/event-stream", ""))
                    .map(fault -> Arguments.of(path, fault)));
  }

  @ParameterizedTest
  @MethodSource("repeated")
  void shouldRepeatBeforeTheAgentHasAPart(String path, ReplyFault fault) throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(GOOD.failing(fault), GOOD))) {
      HttpResponse<String> answer = rig.post(rig.open(), path, GatewayRig.body(path, true, "hi"));

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("a good").doesNotContain("html");
      assertThat(rig.endpoint.requests()).hasSize(2);
      assertThat(rig.seen()).anyMatch(event -> event.startsWith("retried "));
      assertThat(rig.journal.answers()).hasSize(1);
      assertThat(rig.ledger.total().turns()).isEqualTo(1);
    }
  }

  @Test
  void shouldHonourRetryAfter() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(
                GOOD.failing(new ReplyFault.ErrorStatus(429, "1", "slow down")), GOOD))) {
      long from = System.nanoTime();

      rig.post(rig.open(), GatewayRig.messages(false, "hi"));

      assertThat(Duration.ofNanos(System.nanoTime() - from))
          .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
    }
  }

  @Test
  void shouldPassAnErrorOnWhenRetriesAreUsedUp() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(
                GOOD.failing(
                    new ReplyFault.ErrorStatus(529, "", "overloaded " + GatewayRig.KEY))))) {
      HttpResponse<String> answer = rig.post(rig.open(), GatewayRig.messages(true, "hi"));

      assertThat(answer.statusCode()).isEqualTo(529);
      assertThat(answer.body()).contains("overloaded ***").doesNotContain(GatewayRig.KEY);
      assertThat(rig.endpoint.requests()).hasSize(5);
      assertThat(rig.journal.answers()).isEmpty();
      assertThat(rig.ledger.total().turns()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 404, 402})
  void shouldNotRepeatWhatCannotSucceed(int status) throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(ScriptedReply.status(status)))) {
      HttpResponse<String> answer = rig.post(rig.open(), GatewayRig.messages(true, "hi"));

      assertThat(answer.statusCode()).isEqualTo(status);
      assertThat(answer.body()).contains("scripted error");
      assertThat(rig.endpoint.requests()).hasSize(1);
    }
  }

  @Test
  void shouldNameAnEndpointThatIsAbsent() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(GOOD));
        ModelGateway other =
            rig.gateway(
                URI.create("http://127.0.0.1:1"),
                config ->
                    config.withRetries(
                        new RetryPolicy(
                            2,
                            Duration.ofSeconds(5),
                            Duration.ofMillis(1),
                            Duration.ofMillis(2))))) {
      GatewaySession session = rig.open(other, List.of(), AgentFamily.CLAUDE);

      HttpResponse<String> answer =
          rig.client.send(
              rig.request(
                      other.baseUrl(),
                      "/v1/messages",
                      session.token(),
                      Json.bytes(GatewayRig.messages(true, "hi")))
                  .build(),
              HttpResponse.BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(502);
      assertThat(answer.body()).contains("connection refused by 127.0.0.1:1 (2 attempts)");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/messages", "/v1/responses", "/v1/chat/completions"})
  void shouldCloseTheConnectionWhenAnAnswerBreaksOff(String path) throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(
                GOOD.failing(new ReplyFault.BreakOff(4)).slowly(Duration.ofMillis(50)), GOOD))) {
      GatewaySession session = rig.open();

      assertThatThrownBy(() -> rig.post(session, path, GatewayRig.body(path, true, "hi")))
          .isInstanceOf(IOException.class);
      HttpResponse<String> again = rig.post(session, path, GatewayRig.body(path, true, "hi"));

      assertThat(again.body()).contains("a good");
      assertThat(rig.seen()).contains("broken off");
      assertThat(rig.endpoint.requests()).hasSize(2);
      // The one that broke off is journaled for its cost alone.
      List<JournaledAnswer> journaled = rig.journal.answers();
      assertThat(journaled).hasSize(2);
      assertThat(journaled.getFirst().answer()).isNull();
      assertThat(rig.ledger.total().turns()).isEqualTo(2);
    }
  }

  @Test
  void shouldPassAnErrorInTheStreamOn() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(
                GOOD.failing(new ReplyFault.ErrorEvent(5)).slowly(Duration.ofMillis(50))))) {
      byte[] body = Json.bytes(GatewayRig.messages(true, "hi"));
      URI gateway = rig.gateway.baseUrl();
      // A client of HTTP may drop what it has received when it sees the end of the connection.
      String answer;
      try (Socket agent = new Socket(gateway.getHost(), gateway.getPort())) {
        agent.setSoTimeout(60_000);
        send(agent, rig.open(), body.length, body);
        answer = new String(agent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      }

      assertThat(answer)
          .contains("Transfer-encoding: chunked", "overloaded in the stream")
          .as("the end of the connection, not of the answer")
          .doesNotContain("\r\n0\r\n");
    }
  }

  @Test
  void shouldEndAnAnswerThatStalls() throws Exception {
    UpstreamLimits limits =
        new UpstreamLimits(
            Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofMillis(200), 1 << 20, 1 << 16);
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(GOOD.slowly(Duration.ofSeconds(30)), GOOD),
            config -> config.withLimits(limits))) {
      assertThatThrownBy(() -> rig.post(rig.open(), GatewayRig.messages(true, "hi")))
          .isInstanceOf(IOException.class);
      assertThat(rig.seen()).contains("broken off");
    }
  }

  @Test
  void shouldBoundAnAnswer() throws Exception {
    UpstreamLimits limits =
        new UpstreamLimits(
            Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(5), 64 * 1024, 1_000);
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(ScriptedReply.text("x".repeat(200_000))),
            config -> config.withLimits(limits))) {
      HttpResponse<String> answer = rig.post(rig.open(), GatewayRig.messages(false, "hi"));

      assertThat(answer.statusCode()).isEqualTo(502);
      assertThat(answer.body()).contains("larger than 65536 bytes");
    }
  }

  @Test
  void shouldKeepASilentStreamAlive() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(GOOD.after(Duration.ofMillis(700))),
            config ->
                config.withAgentTimes(
                    Duration.ofSeconds(60), Duration.ofMillis(100), Duration.ofSeconds(1)))) {
      assertThat(rig.post(rig.open(), GatewayRig.messages(true, "hi")).body())
          .startsWith("event: ping")
          .endsWith("{\"type\":\"message_stop\"}\n\n");
      assertThat(
              rig.post(
                      rig.open(),
                      "/v1/chat/completions",
                      GatewayRig.body("/v1/chat/completions", true, "hi"))
                  .body())
          .startsWith(": keep-alive");
    }
  }

  static Stream<Arguments> badRequests() {
    byte[] invalid =
        "{\"model\":\"m\",\"messages\":[\"\u0000\"]}".getBytes(StandardCharsets.ISO_8859_1);
    invalid[invalid.length - 4] = (byte) 0xff;
    return Stream.of(
        Arguments.of("no JSON".getBytes(StandardCharsets.UTF_8), "not JSON"),
        Arguments.of("[]".getBytes(StandardCharsets.UTF_8), "not a JSON object"),
        Arguments.of(NO_UTF_32.getBytes(StandardCharsets.ISO_8859_1), "not JSON"),
        Arguments.of(new byte[0], "not a JSON object"),
        Arguments.of("{}".getBytes(StandardCharsets.UTF_8), "messages: is missing"),
        Arguments.of("{\"messages\":[]}".getBytes(StandardCharsets.UTF_8), "model: is missing"),
        Arguments.of(
            "{\"model\":\"m\",\"messages\":[],\"stream\":1}".getBytes(StandardCharsets.UTF_8),
            "stream: is neither true nor false"),
        Arguments.of(
            "{\"model\":\"m\",\"messages\":[],\"max_tokens\":-5}".getBytes(StandardCharsets.UTF_8),
            "max_tokens: is not a number of tokens"),
        Arguments.of(invalid, "UTF-8"));
  }

  @ParameterizedTest
  @MethodSource("badRequests")
  void shouldRefuseABadRequestAndNameWhatIsWrong(byte[] body, String message) throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(GOOD))) {
      GatewaySession session = rig.open();

      HttpResponse<String> answer =
          rig.client.send(
              rig.request(rig.gateway.baseUrl(), "/v1/messages", session.token(), body).build(),
              HttpResponse.BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("\"type\":\"error\"").contains(message);
      assertThat(rig.endpoint.requests()).isEmpty();
    }
  }

  @Test
  void shouldRefuseAGigabyteWithoutKeepingIt() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(GOOD))) {
      long gigabyte = 1L << 30;
      InputStream zeros =
          new InputStream() {
            private long left = gigabyte;

            @Override
            public int read() {
              return left-- > 0 ? ' ' : -1;
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
              if (left <= 0) {
                return -1;
              }
              int count = (int) Math.min(left, length);
              left -= count;
              return count;
            }
          };

      HttpResponse<String> answer =
          rig.client.send(
              HttpRequest.newBuilder(rig.gateway.baseUrl().resolve("/v1/messages"))
                  .header("x-api-key", rig.open().token())
                  .POST(HttpRequest.BodyPublishers.ofInputStream(() -> zeros))
                  .build(),
              HttpResponse.BodyHandlers.ofString());

      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(answer.body()).contains("larger than 33554432 bytes");
    }
  }

  @Test
  void shouldRefuseUnknownTokensPathsAndMethods() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(GOOD))) {
      GatewaySession session = rig.open();
      byte[] body = Json.bytes(GatewayRig.messages(true, "hi"));
      URI base = rig.gateway.baseUrl();
      var text = HttpResponse.BodyHandlers.ofString();

      HttpResponse<String> wrong =
          rig.client.send(rig.request(base, "/v1/messages", "baton-wrong", body).build(), text);
      HttpResponse<String> large =
          rig.client.send(
              rig.request(base, "/v1/messages", "baton-wrong", new byte[20_000_000]).build(), text);
      HttpResponse<String> none =
          rig.client.send(
              HttpRequest.newBuilder(base.resolve("/v1/responses"))
                  .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                  .build(),
              text);
      HttpResponse<String> path =
          rig.client.send(rig.request(base, "/v1/embeddings", session.token(), body).build(), text);
      HttpResponse<String> method =
          rig.client.send(
              HttpRequest.newBuilder(base.resolve("/v1/messages"))
                  .header("x-api-key", session.token())
                  .build(),
              text);

      assertThat(wrong.statusCode()).isEqualTo(403);
      assertThat(wrong.body()).contains("permission_error").doesNotContain("baton-wrong");
      assertThat(large.statusCode()).isEqualTo(403);
      assertThat(none.statusCode()).isEqualTo(403);
      assertThat(none.body()).contains("the request has no token");
      assertThat(path.statusCode()).isEqualTo(404);
      assertThat(path.body()).contains("unknown path /v1/embeddings");
      assertThat(method.statusCode()).isEqualTo(405);
      assertThat(rig.seen()).contains("refused /v1/messages", "refused /v1/responses");
      assertThat(rig.endpoint.requests()).isEmpty();
    }
  }

  @Test
  void shouldKeepTokenAndKeyApart() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(GOOD))) {
      GatewaySession session = rig.open();

      HttpResponse<String> answer =
          rig.client.send(
              rig.request(
                      rig.gateway.baseUrl(),
                      "/v1/messages?beta=true",
                      session.token(),
                      Json.bytes(GatewayRig.messages(true, "env: KEY=" + session.token())))
                  .header("x-note", "has " + session.token())
                  .header("anthropic-beta", "some-beta")
                  .build(),
              HttpResponse.BodyHandlers.ofString());

      var request = rig.endpoint.requests().getFirst();
      assertThat(request.header("x-api-key")).isEqualTo(GatewayRig.KEY);
      assertThat(request.header("anthropic-beta")).isEqualTo("some-beta");
      assertThat(request.path()).isEqualTo("/v1/messages?beta=true");
      assertThat(request.headers().toString() + request.body()).doesNotContain(session.token());
      assertThat(answer.body() + answer.headers() + rig.journal.answers())
          .doesNotContain(GatewayRig.KEY);
    }
  }

  @Test
  void shouldRefuseWhileTheLeaseIsNotHeld() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(GOOD))) {
      GatewaySession session = rig.open();
      rig.lease = max -> LeaseGate.Standing.SUSPENDED;
      assertThat(rig.post(session, GatewayRig.messages(true, "hi")).statusCode()).isEqualTo(503);
      rig.lease = max -> LeaseGate.Standing.FENCED;
      assertThat(rig.post(session, GatewayRig.messages(true, "hi")).statusCode()).isEqualTo(403);
      assertThat(rig.endpoint.requests()).isEmpty();
      rig.lease = max -> LeaseGate.Standing.HELD;
      assertThat(rig.post(session, GatewayRig.messages(true, "hi")).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void shouldSurviveSlowAndBrokenAgents() throws Exception {
    try (GatewayRig rig =
        new GatewayRig(
            ModelScript.sequence(ScriptedReply.text("y".repeat(300_000))),
            config ->
                config.withAgentTimes(
                    Duration.ofMillis(500), Duration.ofSeconds(5), Duration.ofSeconds(1)))) {
      GatewaySession session = rig.open();
      byte[] body = Json.bytes(GatewayRig.messages(true, "hi"));
      URI base = rig.gateway.baseUrl();
      try (Socket half = new Socket(base.getHost(), base.getPort());
          Socket silent = new Socket(base.getHost(), base.getPort());
          Socket deaf = new Socket(base.getHost(), base.getPort())) {
        half.getOutputStream()
            .write("POST /v1/messages HTTP/1.1\r\nHost".getBytes(StandardCharsets.US_ASCII));
        send(silent, session, body.length + 10, body);
        deaf.setReceiveBufferSize(4_096);
        send(deaf, session, body.length, body);

        HttpResponse<String> answer = rig.post(session, GatewayRig.messages(true, "other"));

        assertThat(answer.body()).contains("yyy").contains("message_stop");
        // The gateway closes a connection whose body does not come.
        silent.setSoTimeout(10_000);
        assertThat(silent.getInputStream().readAllBytes()).isEmpty();
        assertThat(rig.journal.awaitAnswers(2, Duration.ofSeconds(20)))
            .as("the answer that the agent does not read is journaled")
            .isTrue();
      }
    }
  }

  private static void send(Socket socket, GatewaySession session, int length, byte[] body)
      throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(
        ("POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: "
                + session.token()
                + "\r\nContent-Length: "
                + length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    out.write(body);
    out.flush();
  }

  @Test
  void shouldRepeatAfterAReset() throws Exception {
    try (GatewayRig rig = new GatewayRig(ModelScript.sequence(GOOD));
        ServerSocket resetting = new ServerSocket(0)) {
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  while (true) {
                    Socket socket = resetting.accept();
                    socket.setSoLinger(true, 0);
                    socket.close();
                  }
                } catch (IOException e) {
                  // The test has ended.
                }
              });
      try (ModelGateway other =
          rig.gateway(
              URI.create("http://127.0.0.1:" + resetting.getLocalPort()), config -> config)) {
        GatewaySession session = rig.open(other, List.of(), AgentFamily.CLAUDE);
        HttpResponse<String> answer =
            rig.client.send(
                rig.request(
                        other.baseUrl(),
                        "/v1/messages",
                        session.token(),
                        Json.bytes(GatewayRig.messages(true, "hi")))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(502);
        assertThat(rig.seen().stream().filter(event -> event.startsWith("retried"))).hasSize(4);
      }
    }
  }
}
