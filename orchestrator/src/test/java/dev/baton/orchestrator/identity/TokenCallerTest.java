/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.oidc.testkit.OidcTestIssuer;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestClient.Answer;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.grpc.ListRunsRequest;
import dev.baton.protocol.grpc.RunsServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls the orchestrator with tokens of an issuer, over each protocol. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class TokenCallerTest {
  private static final String RUN = "01k0000000000000000000000a";
  private static final String AUDIENCE = "baton";

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  private final OidcTestIssuer issuer = OrchestratorTestResource.issuer();

  @AfterEach
  void answerAgain() {
    issuer.down(false);
  }

  private String token(String subject, String group, Consumer<Map<String, Object>> change) {
    return issuer.sign(claims(subject, group, change));
  }

  private String token(String subject, String group) {
    return token(subject, group, claims -> {});
  }

  private Map<String, Object> claims(
      String subject, String group, Consumer<Map<String, Object>> change) {
    Map<String, Object> claims = issuer.claims(subject, AUDIENCE, List.of(group, "unknown"));
    claims.put("email", subject + "@example.com");
    change.accept(claims);
    return claims;
  }

  private Answer send(String token, String method, String path, String body, String... headers) {
    OrchestratorTestClient client = new OrchestratorTestClient(bed.base(), Optional.of(token));
    var request = client.request(path).header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(
        request.method(
            method,
            method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
  }

  private Status grpc(String token) {
    ManagedChannel channel = bed.channel(Optional.of(token));
    try {
      RunsServiceGrpc.newBlockingStub(channel).listRuns(ListRunsRequest.getDefaultInstance());
      return Status.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    } finally {
      channel.shutdownNow();
    }
  }

  /** Requests a WebSocket; returns the first line of the response. */
  private String webSocket(String token) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", bed.port())) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write(
              ("GET /runs/%s/terminal HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
                      + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                      + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
                  .formatted(RUN, bed.port(), token)
                  .getBytes(StandardCharsets.US_ASCII));
      byte[] line = socket.getInputStream().readNBytes("HTTP/1.1 404".length());
      return new String(line, StandardCharsets.US_ASCII);
    }
  }

  /** Requests events over SSE, and leaves at once; returns the status. */
  private int events(String token, String run) throws Exception {
    OrchestratorTestClient client = new OrchestratorTestClient(bed.base(), Optional.of(token));
    try (HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      HttpResponse<InputStream> response =
          http.send(
              client
                  .request("/runs/" + run + "/events")
                  .header("Accept", "text/event-stream")
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      response.body().close();
      return response.statusCode();
    }
  }

  /** Checks the answer of each protocol. */
  private void expect(String token, int status, Status.Code code, String reason) throws Exception {
    Answer rest = send(token, "GET", "/runs", "");
    assertThat(rest.status()).as(rest.text()).isEqualTo(status);
    assertThat(rest.json().path("detail").asText()).contains(reason);
    assertThat(rest.text()).doesNotContain(token, "@example.com");
    Status grpc = grpc(token);
    assertThat(grpc.getCode()).as(grpc.toString()).isEqualTo(code);
    assertThat(grpc.getDescription()).contains(reason);
    assertThat(events(token, RUN)).isEqualTo(status);
    assertThat(webSocket(token)).isEqualTo("HTTP/1.1 " + status);
    assertThat(send(token, "GET", "/q/metrics", "").status()).isEqualTo(status);
    assertThat(send(token, "GET", "/q/health/live", "").status()).isEqualTo(200);
  }

  @Test
  void shouldAcceptTokensOverEveryProtocol() throws Exception {
    String token = token("ann", "operators");
    String run = ProjectFixture.create(bed, pool, "payments").run();

    assertThat(send(token, "GET", "/runs", "").status()).isEqualTo(200);
    assertThat(grpc(token)).isEqualTo(Status.OK);
    assertThat(events(token, run)).isEqualTo(200);
    assertThat(webSocket(token)).isEqualTo("HTTP/1.1 404");
    assertThat(send(token, "GET", "/q/metrics", "").status()).isEqualTo(200);
    // API keys are accepted as before.
    assertThat(bed.api().get("/runs").status()).isEqualTo(200);
  }

  @Test
  void shouldRefuseForgedExpiredAndForeignTokensOverEveryProtocol() throws Exception {
    long now = Instant.now().getEpochSecond();
    String[] parts = token("ann", "viewers").split("\\.");
    String[] admin = token("ann", "admins").split("\\.");
    Map<String, String> tokens = new LinkedHashMap<>();
    tokens.put("the token has expired", token("ann", "admins", it -> it.put("exp", now - 60)));
    tokens.put("not valid yet", token("ann", "admins", it -> it.put("nbf", now + 3_600)));
    tokens.put("another issuer", token("ann", "admins", it -> it.put("iss", "https://a.example")));
    tokens.put("another audience", token("ann", "admins", it -> it.put("aud", "other")));
    tokens.put("signature", parts[0] + "." + admin[1] + "." + parts[2]);
    tokens.put("algorithm", issuer.unsigned(claims("ann", "admins", it -> {})));
    tokens.put("algorithm of the token", issuer.signByPublicKey(claims("ann", "admins", it -> {})));
    tokens.put(
        "does not publish",
        OidcTestIssuer.sign(
            claims("ann", "admins", it -> {}), "RS256", OidcTestIssuer.rsa(), "made-up"));

    for (Map.Entry<String, String> token : tokens.entrySet()) {
      expect(token.getValue(), 401, Status.Code.UNAUTHENTICATED, token.getKey());
    }
  }

  @Test
  void shouldAnswerThatAnUnknownKeyCannotBeCheckedWhileTheIssuerIsDown() throws Exception {
    String known = token("ann", "viewers");
    assertThat(send(known, "GET", "/runs", "").status()).isEqualTo(200);
    issuer.down(true);
    String unknown =
        OidcTestIssuer.sign(
            claims("ann", "viewers", it -> {}), "RS256", OidcTestIssuer.rsa(), "not-known-yet");

    expect(unknown, 503, Status.Code.UNAVAILABLE, "cannot be checked now");

    assertThat(send(known, "GET", "/runs", "").status()).isEqualTo(200);
  }

  @Test
  void shouldAcceptTheKeyOfARotation() throws Exception {
    String before = token("ann", "viewers");
    issuer.rotate(true);
    String after = token("ann", "viewers");

    // Made-up keys of other tests may have used up the fetches that are allowed now.
    Answer answer = ProjectFixture.unlessBusy(() -> send(after, "GET", "/runs", ""));

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(send(before, "GET", "/runs", "").status()).isEqualTo(200);
    assertThat(grpc(after)).isEqualTo(Status.OK);
  }

  @Test
  void shouldRefuseCallersWithoutARole() throws Exception {
    String token = issuer.sign(issuer.claims("zoë", AUDIENCE, List.of("unknown")));

    Answer rest = send(token, "GET", "/runs", "");

    assertThat(rest.status()).isEqualTo(403);
    assertThat(rest.json().path("detail").asText())
        .contains("'zoë' has no role", "'groups'", "baton.identity.oidc.roles");
    for (String path : List.of("/", "/openapi", "/asyncapi", "/schemas", "/q/metrics", "/runs/x")) {
      assertThat(send(token, "GET", path, "").status()).as(path).isEqualTo(403);
    }
    Status grpc = grpc(token);
    assertThat(grpc.getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
    assertThat(grpc.getDescription()).contains("'zoë' has no role");
    assertThat(events(token, RUN)).isEqualTo(403);
    assertThat(webSocket(token)).isEqualTo("HTTP/1.1 403");
  }

  @Test
  void shouldGiveTheRolesOfItsValuesInProjects() {
    ProjectFixture own = ProjectFixture.create(bed, pool, "payments");
    ProjectFixture foreign = ProjectFixture.create(bed, pool, "orders");
    String token = token("pat", "payments");

    assertThat(send(token, "GET", "/runs/" + own.run(), "").status()).isEqualTo(200);
    assertThat(send(token, "GET", "/runs/" + foreign.run(), "").status()).isEqualTo(404);
    assertThat(send(token, "GET", "/runs/" + foreign.run() + "/events", "").status())
        .isEqualTo(404);
    assertThat(send(token, "GET", "/q/metrics", "").status()).isEqualTo(403);
    assertThat(send(token, "DELETE", "/runs/" + own.run(), "").status()).isEqualTo(403);
    assertThat(send(token, "POST", "/api-keys", "{}").status()).isEqualTo(403);
  }

  @Test
  void shouldRecordTheNameOfTheClaimAsAuthor() {
    ProjectFixture run = ProjectFixture.create(bed, pool, "payments");
    String admin = token("root", "admins");
    String body = "{\"name\": \"by a person\", \"role\": \"viewer\"}";

    JsonNode created = send(admin, "POST", "/api-keys", body).json();
    Answer answered =
        send(
            token("pat", "payments"),
            "POST",
            "/approvals/" + run.approval(),
            "{\"answer\": true, \"by\": \"someone else\"}");

    assertThat(created.path("created_by").asText()).isEqualTo("root@example.com");
    assertThat(answered.json().path("by").asText())
        .as(answered.text())
        .isEqualTo("pat@example.com (someone else)");
  }

  @Test
  void shouldKeepIdempotencyKeysOfSubjectsApart() {
    String body = "{\"kind\": \"external\", \"workflow\": \"border\", \"project\": \"payments\"}";
    String key = "Idempotency-Key";

    JsonNode first = send(token("pat", "payments"), "POST", "/runs", body, key, "one").json();
    JsonNode again = send(token("pat", "payments"), "POST", "/runs", body, key, "one").json();
    JsonNode other = send(token("kim", "payments"), "POST", "/runs", body, key, "one").json();

    assertThat(first.path("id").asText()).isNotEmpty().isEqualTo(again.path("id").asText());
    assertThat(other.path("id").asText()).isNotEmpty().isNotEqualTo(first.path("id").asText());
  }
}
