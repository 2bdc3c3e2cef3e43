/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestClient.Answer;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.grpc.CancelRunRequest;
import dev.baton.protocol.grpc.CreateRunRequest;
import dev.baton.protocol.grpc.RunsServiceGrpc;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Every changing or refused call leaves a record. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class AuditTest {
  private static final Duration BOUND = Duration.ofSeconds(30);
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([A-Z]+) (/\\S*)` \\| \\w+(?: of all projects)? \\|$");
  private static final Set<String> QUERIES =
      Set.of("POST /workflows/validate", "POST /runs/{id}/packs/find");
  private static final String CANARY = "canary-5f1c9e";

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;
  @Inject RefusedCallCounter refused;

  /** A key, and its id. */
  private record Key(String id, String text) {}

  private Key key(String projects) {
    Answer created =
        bed.api().json("/api-keys", "{\"name\": \"audited\", \"projects\": " + projects + "}");
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    return new Key(created.json().path("id").asText(), created.json().path("key").asText());
  }

  private Answer send(Key key, String method, String path, String body) {
    OrchestratorTestClient client = new OrchestratorTestClient(bed.base(), Optional.of(key.text()));
    return client.send(
        client
            .request(path)
            .header(
                "Content-Type",
                path.endsWith("/packs/find") ? "application/octet-stream" : "application/json")
            .method(
                method,
                method.equals("GET")
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Returns the records of a key, the newest first. */
  private List<JsonNode> records(String key, String more) {
    Answer page = bed.api().get("/audit?limit=1000&caller=" + key + more);
    assertThat(page.status()).as(page.text()).isEqualTo(200);
    return page.json().path("records").valueStream().toList();
  }

  private static String id(Answer answer) {
    return answer.raw().headers().firstValue("Baton-Request-Id").orElseThrow();
  }

  private static List<MatchResult> documented() throws Exception {
    return ROW.matcher(Files.readString(Path.of("..", "docs", "security.md"))).results().toList();
  }

  @Test
  void shouldRecordEachChangingOperationOnceAndNoOther() throws Exception {
    Key admin = key("{\"*\": \"admin\"}");
    List<String> wrong = new ArrayList<>();
    int changing = 0;

    for (MatchResult row : documented()) {
      String operation = row.group(1) + " " + row.group(2);
      String path =
          row.group(2)
              .replaceAll("\\{(id|run)}", RunId.next())
              .replaceAll("\\{\\w+}", "none")
              .replaceAll("\\?.*", "");
      Answer answer = send(admin, row.group(1), path, "{\"" + CANARY + "\": 1}");
      List<JsonNode> found =
          records(admin.id(), "").stream()
              .filter(record -> record.path("id").asText().equals(id(answer)))
              .toList();
      boolean expected = !row.group(1).equals("GET") && !QUERIES.contains(operation);
      changing += expected ? 1 : 0;
      if (found.size() != (expected ? 1 : 0)) {
        wrong.add(operation + ": " + found.size() + " records");
      } else if (expected) {
        JsonNode record = found.getFirst();
        if (!record.path("operation").asText().equals(operation)
            || !record.path("status").asText().equals(Integer.toString(answer.status()))
            || !record.path("caller").asText().equals("audited")
            || !record.path("peer").asText().equals("127.0.0.1")
            || !record.at("/roles/*").asText().equals("admin")) {
          wrong.add(operation + ": " + record);
        }
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(changing).isGreaterThan(20);
  }

  @Test
  void shouldNameTheTargetsOfACall() {
    Key key = key("{\"payments\": \"admin\"}");
    Answer created =
        send(
            key,
            "POST",
            "/runs",
            "{\"kind\": \"external\", \"workflow\": \"audited\","
                + " \"project\": \"payments\", \"input\": {\"secret\": \""
                + CANARY
                + "\"}}");
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    String run = created.json().path("id").asText();

    JsonNode made = records(key.id(), "").getFirst();
    assertThat(made.path("runs").toString()).isEqualTo("[\"" + run + "\"]");
    assertThat(made.path("projects").toString()).isEqualTo("[\"payments\"]");
    assertThat(made.path("outcome").asText()).isEqualTo("ok");

    // By its short id, and as one of many.
    send(key, "PATCH", "/runs/" + run.substring(20) + "/labels", "{\"a\": \"" + CANARY + "\"}");
    send(key, "POST", "/runs/bulk/cancel", "{\"filter\": {\"project\": \"payments\"}}");
    assertThat(records(key.id(), "&run=" + run))
        .extracting(record -> record.path("operation").asText())
        .containsExactly("POST /runs/bulk/cancel", "PATCH /runs/{id}/labels", "POST /runs");
    assertThat(records(key.id(), "&project=payments&operation=POST%20/runs&outcome=ok")).hasSize(1);
    assertThat(records(key.id(), "&project=orders")).isEmpty();
    assertThat(records(key.id(), "&since=1h&until=2030-01-01T00:00:00Z")).hasSize(3);
    assertThat(records(key.id(), "&until=2020-01-01T00:00:00Z")).isEmpty();

    Answer revoked =
        send(new Key("", OrchestratorTestClient.apiKey()), "DELETE", "/api-keys/" + key.id(), "");
    assertThat(
            bed.api()
                .get("/audit?limit=1000&operation=DELETE%20/api-keys/%7Bid%7D")
                .json()
                .path("records")
                .valueStream()
                .filter(record -> record.path("id").asText().equals(id(revoked))))
        .extracting(record -> record.path("target").asText())
        .containsExactly(key.id());
    assertThat(
            bed.api()
                .get("/audit?limit=1000&operation=POST%20/api-keys")
                .json()
                .path("records")
                .findValuesAsText("target"))
        .contains(key.id());
  }

  @Test
  void shouldRecordEachChangingCallOfGrpcOnce() throws Exception {
    Key key = key("{\"*\": \"operator\"}");
    ManagedChannel channel = bed.channel(Optional.of(key.text()));
    Map<String, Long> expected = new TreeMap<>();
    try {
      for (MethodDescriptor<?, ?> method : RunsServiceGrpc.getServiceDescriptor().getMethods()) {
        String name = String.valueOf(method.getBareMethodName());
        call(channel, method);
        if (!name.startsWith("Get") && !name.startsWith("List") && !name.equals("StreamEvents")) {
          expected.put("RunsService/" + name, 1L);
        }
      }
      Map<String, Long> found = new TreeMap<>();
      records(key.id(), "")
          .forEach(record -> found.merge(record.path("operation").asText(), 1L, Long::sum));
      assertThat(found).isEqualTo(expected);

      bed.api().workflow("audited-grpc", true);
      String run =
          RunsServiceGrpc.newBlockingStub(channel)
              .createRun(
                  CreateRunRequest.newBuilder()
                      .setWorkflow("audited-grpc")
                      .setInput(ByteString.copyFromUtf8("{\"x\": \"" + CANARY + "\"}"))
                      .build())
              .getId();
      RunsServiceGrpc.newBlockingStub(channel)
          .cancelRun(CancelRunRequest.newBuilder().setRun(run).setReason(CANARY).build());
      List<JsonNode> records = records(key.id(), "&run=" + run);
      assertThat(records)
          .extracting(record -> record.path("operation").asText())
          .containsExactly("RunsService/CancelRun", "RunsService/CreateRun");
      assertThat(records).extracting(record -> record.path("status").asText()).containsOnly("OK");
      assertThat(records.getFirst().path("target").asText()).isEqualTo(run);
    } finally {
      channel.shutdownNow();
      channel.awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  private static <Q, A> void call(ManagedChannel channel, MethodDescriptor<Q, A> method)
      throws Exception {
    try {
      Q request = method.getRequestMarshaller().parse(new ByteArrayInputStream(new byte[0]));
      ClientCalls.blockingServerStreamingCall(
              channel,
              method,
              CallOptions.DEFAULT.withDeadlineAfter(BOUND.toSeconds(), TimeUnit.SECONDS),
              request)
          .forEachRemaining(answer -> {});
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isNotNull(); // An empty request is mostly invalid.
    }
  }

  @Test
  void shouldRecordRefusedCallsAndCountAFloodOfThem() throws Exception {
    refused.flush().await().atMost(BOUND);
    Key viewer = key("{\"payments\": \"viewer\"}");
    for (int i = 0; i < 100; i++) {
      assertThat(send(viewer, "POST", "/runs", "{}").status()).isEqualTo(403);
    }
    assertThat(send(viewer, "GET", "/api-keys", "").status()).isEqualTo(403);
    ManagedChannel channel = bed.channel(Optional.of(viewer.text()));
    try {
      call(channel, RunsServiceGrpc.getAnswerApprovalMethod());
    } finally {
      channel.shutdownNow();
      channel.awaitTermination(5, TimeUnit.SECONDS);
    }
    await(viewer, 3);
    refused.flush().await().atMost(BOUND);

    assertThat(records(viewer.id(), "&outcome=refused"))
        .extracting(
            record ->
                "%s %s %d"
                    .formatted(
                        record.path("operation").asText(),
                        record.path("status").asText(),
                        record.path("count").asInt()))
        .containsExactlyInAnyOrder(
            "POST /runs 403 1",
            "POST /runs 403 99",
            "GET /api-keys 403 1",
            "RunsService/AnswerApproval PERMISSION_DENIED 1");
  }

  /** Records of refused calls are written after their answer. */
  private void await(Key key, int number) {
    bed.api()
        .await(
            "/audit?caller=" + key.id(),
            "the audit log",
            page -> page.path("records").size() >= number);
  }

  @Test
  void shouldCountCallsInAForeignProjectThatHadBegun() {
    refused.flush().await().atMost(BOUND);
    Key operator = key("{\"payments\": \"operator\"}");
    for (int i = 0; i < 5; i++) {
      assertThat(send(operator, "POST", "/runs", "{\"project\": \"orders\"}").status())
          .isEqualTo(403);
    }
    refused.flush().await().atMost(BOUND);

    assertThat(records(operator.id(), ""))
        .extracting(record -> record.path("count").asInt())
        .containsExactlyInAnyOrder(1, 4);
  }

  @Test
  void shouldBoundTheRecordsOfUnknownCallers() {
    refused.flush().await().atMost(BOUND);
    long before = unknown();
    OrchestratorTestClient client = new OrchestratorTestClient(bed.base(), Optional.empty());
    for (int i = 0; i < 200; i++) {
      String path = "/" + (char) ('a' + i % 26) + (char) ('a' + i / 26);
      assertThat(client.get(path).status()).isEqualTo(401);
    }
    refused.flush().await().atMost(BOUND);

    assertThat(unknown() - before).isBetween(51L, 53L);
  }

  private long unknown() {
    return pool.query("SELECT count(*) FROM orchestrator.audit WHERE key IS NULL")
        .execute()
        .await()
        .atMost(BOUND)
        .iterator()
        .next()
        .getLong(0);
  }

  @Test
  void shouldPublishRecordsAndKeepBodiesOutOfThem() throws Exception {
    Key key = key("{\"*\": \"operator\"}");
    Answer answer = send(key, "POST", "/workflows", "{\"name\": \"" + CANARY + "\", \"steps\": 1}");
    Answer wrong = send(key, "POST", "/approvals/x-ok-1", "{\"answer\": \"" + CANARY + "\"}");

    try (TraceLog log = bed.log()) {
      List<ConsumerRecord<String, byte[]>> published =
          log.await(TopicName.AUDIT, key.id(), all -> all.size() >= 2);
      assertThat(published)
          .extracting(record -> new String(record.headers().lastHeader("ce_id").value(), UTF_8))
          .containsExactlyInAnyOrder(id(answer), id(wrong));
      JsonNode body = Json.tree(published.getFirst().value());
      assertThat(body.path("id").asText()).isIn(id(answer), id(wrong));
      assertThat(body.path("outcome").asText()).isEqualTo("rejected");
      assertThat(published)
          .allSatisfy(
              record -> assertThat(new String(record.value(), UTF_8)).doesNotContain(CANARY));
    }
    assertThat(
            pool.preparedQuery(
                    "SELECT count(*) FROM orchestrator.audit a WHERE a::text LIKE '%' || $1 || '%'"
                        + " OR a::text LIKE '%' || $2 || '%'")
                .execute(Tuple.of(CANARY, key.text().substring(key.id().length() + 4)))
                .await()
                .atMost(BOUND)
                .iterator()
                .next()
                .getLong(0))
        .isZero();
  }

  @Test
  void shouldShowACallWhoseReplicaEndedAsUnknown() {
    String id = RunId.next();
    pool.preparedQuery(
            "INSERT INTO orchestrator.audit (id, began_at, roles, operation, projects, runs, count, key)"
                + " VALUES ($1, now(), '{}', 'POST /runs', '{}', '{}', 1, $1)")
        .execute(Tuple.of(id))
        .await()
        .atMost(BOUND);

    assertThat(records(id, "&outcome=unknown"))
        .extracting(record -> record.path("outcome").asText())
        .containsExactly("unknown");
  }

  @Test
  void shouldReadTheLogInPagesAndSayWhatParametersMayBe() {
    Key key = key("{\"*\": \"operator\"}");
    for (int i = 0; i < 5; i++) {
      send(key, "POST", "/runs", "{}");
    }
    List<String> ids = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = bed.api().get("/audit?limit=2&caller=" + key.id() + cursor).json();
      page.path("records").forEach(record -> ids.add(record.path("id").asText()));
      cursor = page.hasNonNull("next_cursor") ? "&cursor=" + page.path("next_cursor").asText() : "";
    } while (!cursor.isEmpty());

    assertThat(ids).hasSize(5).doesNotHaveDuplicates();
    for (String query :
        List.of("limit=0", "since=soon", "outcome=x", "run=x", "cursor=x", "until=yesterday")) {
      Answer answer = bed.api().get("/audit?" + query);
      assertThat(answer.status()).as(query).isEqualTo(400);
      assertThat(answer.json().path("detail").asText()).contains("allowed");
    }
  }
}
