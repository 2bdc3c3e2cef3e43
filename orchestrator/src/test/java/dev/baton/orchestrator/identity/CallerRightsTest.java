/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.gateway.StepTokenSigner;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestClient.Answer;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.protocol.grpc.RunsServiceGrpc;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ApiKeyFormat;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls the orchestrator with each role, and without. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class CallerRightsTest {
  private static final String RUN = "01k0000000000000000000000a";
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([A-Z]+) (/\\S*)` \\| (\\w+)( of all projects)? \\|$");
  private static final Duration BOUND = Duration.ofSeconds(30);

  @Inject OrchestratorTestEnvironment bed;
  @Inject StepTokenSigner steps;
  @Inject Pool pool;

  private Answer send(@Nullable String key, String method, String path, String body) {
    OrchestratorTestClient client =
        new OrchestratorTestClient(bed.base(), Optional.ofNullable(key));
    HttpRequest.Builder request =
        client
            .request(path)
            .header(
                "Content-Type",
                path.endsWith("/packs/find") ? "application/octet-stream" : "application/json")
            .method(
                method,
                method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    return client.send(request);
  }

  private JsonNode keys() {
    return send(OrchestratorTestClient.apiKey(), "GET", "/api-keys", "").json();
  }

  private static JsonNode shown(JsonNode listed, JsonNode id) {
    return listed
        .path("keys")
        .valueStream()
        .filter(entry -> entry.path("id").equals(id))
        .findFirst()
        .orElseThrow();
  }

  private JsonNode create(String name, String role, @Nullable String expiresIn) {
    String body =
        "{\"name\": \"%s\", \"role\": \"%s\"%s}"
            .formatted(
                name, role, expiresIn == null ? "" : ", \"expires_in\": \"" + expiresIn + "\"");
    Answer created = send(OrchestratorTestClient.apiKey(), "POST", "/api-keys", body);
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    return created.json();
  }

  private String key(String role) {
    return create("test of " + role, role, null).path("key").asText();
  }

  private static List<MatchResult> rows() throws IOException {
    return ROW.matcher(Files.readString(Path.of("..", "docs", "security.md"))).results().toList();
  }

  /** Method and path, with the role, of the table in docs/security.md. */
  private static Map<String, String> documented() throws IOException {
    Map<String, String> rights = new TreeMap<>();
    for (MatchResult row : rows()) {
      rights.put(row.group(1) + " " + row.group(2), row.group(3));
    }
    return rights;
  }

  @Test
  void shouldCloseWhatConcernsAllProjectsToKeysOfOne() throws Exception {
    String admin = ProjectFixture.key(bed, Map.of("default", "admin"));
    List<String> wrong = new ArrayList<>();
    int closed = 0;

    for (MatchResult row : rows()) {
      String path = row.group(2).replaceAll("\\{(id|run)}", RUN).replaceAll("\\{\\w+}", "none");
      int status = send(admin, row.group(1), path, "[]").status();
      if (row.group(4) == null ? status == 401 || status == 403 : status != 403) {
        wrong.add(row.group() + ": " + status);
      }
      closed += row.group(4) == null ? 0 : 1;
    }

    assertThat(wrong).isEmpty();
    assertThat(closed).isEqualTo(12);
    for (String path : List.of("/q/metrics", "/q/metrics/", "/q/../q/metrics", "/q/info")) {
      assertThat(send(admin, "GET", path, "").status()).as(path).isEqualTo(403);
      assertThat(send(steps.sign(RUN), "GET", path, "").status()).as(path).isEqualTo(403);
    }
  }

  @Test
  void shouldShowTheRolesOfAKey() {
    String body =
        "{\"name\": \"roles\", \"projects\": {\"payments\": \"operator\", \"*\": \"viewer\"}}";
    JsonNode created = send(OrchestratorTestClient.apiKey(), "POST", "/api-keys", body).json();

    JsonNode shown = shown(keys(), created.path("id"));
    assertThat(shown.path("role").asText()).isEqualTo("viewer");
    assertThat(shown.path("projects").toString())
        .isEqualTo("{\"*\":\"viewer\",\"payments\":\"operator\"}");
  }

  private List<String> served() {
    List<String> operations = new ArrayList<>();
    JsonNode document =
        send(OrchestratorTestClient.apiKey(), "GET", "/openapi?format=json", "").json();
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        method ->
                            operations.add(
                                method.toUpperCase(java.util.Locale.ROOT) + " " + path.getKey())));
    return operations;
  }

  @Test
  void shouldAllowEachRoleWhatTheDocumentSays() throws Exception {
    Map<String, String> rights = documented();
    assertThat(rights.keySet()).containsAll(served());
    Map<String, String> keys = new LinkedHashMap<>();
    for (AccessRole role : AccessRole.values()) {
      keys.put(role.label(), key(role.label()));
    }
    List<String> wrong = new ArrayList<>();

    for (Map.Entry<String, String> right : rights.entrySet()) {
      String[] operation = right.getKey().split(" ", 2);
      String path = operation[1].replaceAll("\\{(id|run)}", RUN).replaceAll("\\{\\w+}", "none");
      check(
          wrong,
          right.getKey(),
          "no caller",
          send(null, operation[0], path, "[]").status(),
          right.getValue().equals("none") ? 200 : 401);
      check(
          wrong,
          right.getKey(),
          "wrong key",
          send(ApiKeyFormat.create(), operation[0], path, "[]").status(),
          right.getValue().equals("none") ? 200 : 401);
      AccessRole least = AccessRole.of(right.getValue()).orElse(AccessRole.VIEWER);
      for (AccessRole role : AccessRole.values()) {
        int status = send(keys.get(role.label()), operation[0], path, "[]").status();
        if (role.compareTo(least) < 0) {
          check(wrong, right.getKey(), role.label(), status, 403);
        } else if (status == 401 || status == 403 || status >= 500) {
          wrong.add(right.getKey() + " as " + role.label() + ": " + status);
        }
      }
      int step = send(steps.sign(RUN), operation[0], path, "[]").status();
      if (right.getKey().equals("GET /runs/{id}/epoch")) {
        check(wrong, right.getKey(), "its step", step, 404);
      } else if (!right.getValue().equals("none") && !path.startsWith("/openapi")) {
        check(wrong, right.getKey(), "a step", step, 403);
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(rights).hasSizeGreaterThan(50);
  }

  private static void check(List<String> wrong, String operation, String who, int is, int should) {
    if (is != should) {
      wrong.add("%s as %s: %d instead of %d".formatted(operation, who, is, should));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/runs;x",
        "/x/../runs",
        "/%72uns",
        "/q/health/../../runs",
        "/q/health/..%2f..%2fruns",
        "/q/health;/../runs",
        "/q/metrics",
        "/q/openapi",
        "/openapi",
        "/q/arc",
        "/q/dev-ui",
        "/nothing",
        "/runs/" + RUN + "/terminal",
        "/dev.baton.v1.RunsService/GetRun",
        "/dev.baton.v1.RunnerGatewayService/Attach"
      })
  void shouldRefuseEveryPathWithoutAKey(String path) {
    Answer answer = send(null, "GET", path, "");

    assertThat(answer.status()).as(answer.text()).isEqualTo(401);
    assertThat(answer.raw().headers().firstValue("WWW-Authenticate"))
        .contains("Bearer realm=\"baton\"");
    assertThat(answer.json().path("type").asText()).endsWith("/unauthenticated");
    assertThat(answer.json().path("detail").asText()).contains("Authorization: Bearer", "baton up");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/q/health", "/q/health/live", "/q/health/ready", "/q/health/started"})
  void shouldAnswerProbesWithoutAKey(String path) {
    Answer answer = send(null, "GET", path, "");

    // 503 while the service is not ready, for example just after its start.
    assertThat(answer.status()).isIn(200, 503);
    assertThat(answer.json().path("checks").isArray()).isTrue();
  }

  @Test
  void shouldRequireRolesOfGrpcCalls() throws Exception {
    Map<String, AccessRole> rights = new TreeMap<>();
    for (MethodDescriptor<?, ?> method : RunsServiceGrpc.getServiceDescriptor().getMethods()) {
      String name = String.valueOf(method.getBareMethodName());
      rights.put(
          name,
          name.startsWith("Get") || name.startsWith("List") || name.equals("StreamEvents")
              ? AccessRole.VIEWER
              : AccessRole.OPERATOR);
    }
    String viewer = key("viewer");
    String operator = key("operator");
    List<String> wrong = new ArrayList<>();

    for (MethodDescriptor<?, ?> method : RunsServiceGrpc.getServiceDescriptor().getMethods()) {
      AccessRole least = rights.get(String.valueOf(method.getBareMethodName()));
      expect(wrong, method, null, Status.Code.UNAUTHENTICATED);
      expect(wrong, method, ApiKeyFormat.create(), Status.Code.UNAUTHENTICATED);
      expect(wrong, method, steps.sign(RUN), Status.Code.PERMISSION_DENIED);
      expect(
          wrong, method, viewer, least == AccessRole.VIEWER ? null : Status.Code.PERMISSION_DENIED);
      expect(wrong, method, operator, null);
    }

    assertThat(wrong).isEmpty();
  }

  /**
   * @param code null for any but the two of missing rights
   */
  private void expect(
      List<String> wrong,
      MethodDescriptor<?, ?> method,
      @Nullable String key,
      Status.@Nullable Code code)
      throws Exception {
    Status.Code is = call(method, key);
    boolean refused = is == Status.Code.UNAUTHENTICATED || is == Status.Code.PERMISSION_DENIED;
    if (code == null ? refused : is != code) {
      wrong.add("%s: %s instead of %s".formatted(method.getFullMethodName(), is, code));
    }
  }

  private <Q, A> Status.Code call(MethodDescriptor<Q, A> method, @Nullable String key)
      throws Exception {
    ManagedChannel channel = bed.channel(Optional.ofNullable(key));
    try {
      Q request =
          method.getRequestMarshaller().parse(new java.io.ByteArrayInputStream(new byte[0]));
      ClientCalls.blockingServerStreamingCall(
              channel,
              method,
              CallOptions.DEFAULT.withDeadlineAfter(BOUND.toSeconds(), TimeUnit.SECONDS),
              request)
          .forEachRemaining(answer -> {});
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    } finally {
      channel.shutdownNow();
      channel.awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldTakeKeysOfAFileForViewers() {
    String viewer =
        ConfigProvider.getConfig().getValue(OrchestratorTestClient.VIEWER_KEY, String.class);

    assertThat(send(viewer, "GET", "/q/metrics", "").status()).isEqualTo(200);
    assertThat(send(viewer, "POST", "/runs", "{}").status()).isEqualTo(403);
  }

  @Test
  void shouldRefuseARevokedKeyAtOnce() {
    JsonNode created = create("for a moment", "viewer", null);
    String key = created.path("key").asText();
    assertThat(send(key, "GET", "/runs", "").status()).isEqualTo(200);

    Answer revoked =
        send(
            OrchestratorTestClient.apiKey(),
            "DELETE",
            "/api-keys/" + created.path("id").asText(),
            "");

    assertThat(revoked.json().hasNonNull("revoked_at")).isTrue();
    assertThat(send(key, "GET", "/runs", "").status()).isEqualTo(401);
  }

  @Test
  void shouldRefuseAnExpiredKey() {
    String key = create("short", "viewer", "1s").path("key").asText();
    assertThat(send(key, "GET", "/runs", "").status()).isEqualTo(200);

    long end = System.nanoTime() + BOUND.toNanos();
    while (send(key, "GET", "/runs", "").status() == 200) {
      assertThat(System.nanoTime()).as("the key expires").isLessThan(end);
    }

    assertThat(send(key, "GET", "/runs", "").status()).isEqualTo(401);
  }

  @Test
  void shouldStoreAndListNoKey() {
    JsonNode created = create("listed", "operator", "90d");
    String key = created.path("key").asText();
    send(key, "GET", "/runs", "");

    JsonNode listed = keys();

    assertThat(listed.toString()).contains(created.path("id").asText()).doesNotContain(key);
    JsonNode shown = shown(listed, created.path("id"));
    assertThat(shown.path("name").asText()).isEqualTo("listed");
    assertThat(shown.path("role").asText()).isEqualTo("operator");
    assertThat(shown.path("created_by").asText()).startsWith("admin key ");
    assertThat(shown.hasNonNull("key")).isFalse();
    assertThat(
            pool.preparedQuery(
                    "SELECT api_key::text AS whole FROM orchestrator.api_key WHERE id = $1")
                .execute(Tuple.of(created.path("id").asText()))
                .await()
                .atMost(BOUND)
                .iterator()
                .next()
                .getString("whole"))
        .doesNotContain(key.substring(16));
  }

  /** They would give it its placeholder of a role in all projects. */
  @Test
  void shouldHideTheDigestOfAKeyOfProjectsFromEarlierVersions() {
    String key = ProjectFixture.key(bed, Map.of("payments", "admin"));
    var row =
        pool.preparedQuery(
                "SELECT length(digest) AS before, length(project_digest) AS now, role"
                    + " FROM orchestrator.api_key WHERE id = $1")
            .execute(Tuple.of(ApiKeyFormat.id(key).orElseThrow()))
            .await()
            .atMost(BOUND)
            .iterator()
            .next();

    assertThat(row.getInteger("before")).isZero();
    assertThat(row.getInteger("now")).isEqualTo(32);
    assertThat(row.getString("role")).isEqualTo("viewer");
    assertThat(send(key, "GET", "/runs", "").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"name\": \"x\"}",
        "{\"name\": \"\", \"role\": \"viewer\"}",
        "{\"name\": \"x\", \"role\": \"root\"}",
        "{\"name\": \"x\", \"projects\": {}}",
        "{\"name\": \"x\", \"projects\": {\"P\": \"viewer\"}}",
        "{\"name\": \"x\", \"projects\": {\"p\": \"root\"}}",
        "{\"name\": \"x\", \"projects\": {\"p\": null}}",
        "{\"name\": \"x\", \"role\": \"viewer\", \"projects\": {\"*\": \"admin\"}}",
        "{\"name\": \"x\", \"role\": \"operator\", \"projects\": {\"p\": \"viewer\"}}",
        "{\"name\": \"x\", \"role\": \"viewer\", \"expires_in\": \"soon\"}",
        "{\"name\": \"x\", \"role\": \"viewer\", \"expires_in\": \"0s\"}",
        "{\"name\": \"x\", \"role\": \"viewer\", \"expires_in\": \"9999d\"}",
        "{\"name\": \"a\\u0000b\", \"role\": \"viewer\"}"
      })
  void shouldSayWhatAKeyMayBe(String body) {
    Answer answer = send(OrchestratorTestClient.apiKey(), "POST", "/api-keys", body);

    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.json().path("detail").asText()).contains("allowed");
  }

  @Test
  void shouldRefuseATokenOfAnotherRun() {
    String token = steps.sign(RUN);
    String forged = token.substring(0, token.length() - 2) + "00";

    assertThat(send(token, "GET", "/runs/01k0000000000000000000000b/epoch", "").status())
        .isEqualTo(403);
    assertThat(send(forged, "GET", "/runs/" + RUN + "/epoch", "").status()).isEqualTo(401);
  }
}
