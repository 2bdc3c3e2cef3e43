/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestClient.Answer;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TestManifestFactory;
import dev.baton.protocol.grpc.RunsServiceGrpc;
import dev.baton.protocol.manifest.ManifestCodec;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls the orchestrator for targets of two projects, with keys of one. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ProjectBorderTest {
  /** Operations whose path has no id of a run, an approval or a checkpoint. */
  private static final Set<String> WITHOUT_TARGET =
      Set.of(
          "DELETE /api-keys/{id}",
          "GET /schemas/{path}",
          // Compared in shouldAnswerForForeignProjectsAsForUnknownOnes.
          "GET /projects/{name}",
          "PUT /projects/{name}",
          "DELETE /projects/{name}",
          "GET /workflows/{reference}",
          "GET /workflows/{reference}/source",
          "GET /workflows/{name}/limit",
          "PUT /workflows/{name}/limit",
          "DELETE /workflows/{name}/limit");

  private static final int PAIRS = 200;

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  private ProjectFixture own;
  private ProjectFixture foreign;
  private String admin;

  @BeforeEach
  void create() {
    own = ProjectFixture.create(bed, pool, "payments");
    foreign = ProjectFixture.create(bed, pool, "orders");
    admin = ProjectFixture.key(bed, Map.of("payments", "admin"));
  }

  @AfterEach
  void forget() {
    FakeStore.archiveNothing();
  }

  private List<String> operationsWithTarget() {
    List<String> operations = new ArrayList<>();
    JsonNode document =
        ProjectFixture.unlessBusy(() -> bed.api().get("/openapi?format=json")).json();
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        method -> {
                          String operation = method.toUpperCase(Locale.ROOT) + " " + path.getKey();
                          if (path.getKey().contains("{") && !WITHOUT_TARGET.contains(operation)) {
                            operations.add(operation);
                          }
                        }));
    return operations;
  }

  /** A valid body, so that the answer depends on the target only. */
  private static byte[] body(String operation, ProjectFixture target) {
    String text =
        switch (operation) {
          case "POST /approvals/{id}", "POST /checkpoints/{id}" -> "{\"answer\": true}";
          case "POST /runs/{id}/fork" -> "{\"step\": \"a\"}";
          case "POST /runs/{id}/packs/uploads" ->
              "{\"packs\": [{\"digest\": \"sha256:%s\", \"size_bytes\": 9}]}"
                  .formatted("ab".repeat(32));
          case "POST /runs/{id}/packs" ->
              "{\"packs\": [{\"digest\": \"%s\", \"size_bytes\": 9, \"index_bytes\": 5, \"chunks\": []}]}"
                  .formatted("sha256:" + "ab".repeat(32));
          default -> "{}";
        };
    return switch (operation) {
      case "PUT /runs/{id}/checkpoints/{checkpoint}" ->
          ManifestCodec.write(
              TestManifestFactory.create("payments", target.checkpoint(), target.run()));
      case "POST /runs/{id}/packs/find" -> new byte[32];
      default -> text.getBytes(StandardCharsets.UTF_8);
    };
  }

  private String answer(String key, String operation, ProjectFixture target, String path) {
    Answer answer =
        ProjectFixture.send(bed, key, operation.split(" ", 2)[0], path, body(operation, target));
    return answer.status() + " " + answer.type() + " " + target.masked(answer.text());
  }

  private static String path(String operation, ProjectFixture target) {
    // At the alias an approval is answered.
    return target.path(
        operation.equals("POST /checkpoints/{id}")
            ? "/checkpoints/" + target.approval()
            : operation.split(" ", 2)[1]);
  }

  @Test
  void shouldAnswerForForeignIdsAsForUnknownOnes() {
    ProjectFixture unknown = ProjectFixture.unknown();
    List<String> wrong = new ArrayList<>();

    for (String operation : operationsWithTarget()) {
      String ofForeign = answer(admin, operation, foreign, path(operation, foreign));
      String ofUnknown = answer(admin, operation, unknown, path(operation, unknown));
      if (!ofForeign.equals(ofUnknown) || !ofForeign.startsWith("404 ")) {
        wrong.add(operation + ": " + ofForeign + " instead of " + ofUnknown);
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(operationsWithTarget()).hasSizeGreaterThan(25);
  }

  @Test
  void shouldAnswerForForeignProjectsAsForUnknownOnes() {
    for (String project : List.of("payments", "orders")) {
      put(project);
    }
    Map<String, Integer> expected =
        Map.of(
            "GET /projects/{name}",
            404,
            "PUT /projects/{name}",
            403,
            "DELETE /projects/{name}",
            403);

    expected.forEach(
        (operation, status) -> {
          assertThat(projectAnswer(operation, "orders"))
              .as(operation)
              .isEqualTo(projectAnswer(operation, "absent"))
              .startsWith(status + " ");
        });
    assertThat(projectAnswer("GET /projects/{name}", "payments")).startsWith("200 ");
    assertThat(pages("/projects?limit=1", "projects", "name")).containsExactly("payments");
  }

  private void put(String project) {
    Answer answer =
        ProjectFixture.send(
            bed,
            OrchestratorTestClient.apiKey(),
            "PUT",
            "/projects/" + project,
            "{}".getBytes(StandardCharsets.UTF_8));
    assertThat(answer.status()).as(answer.text()).isIn(200, 201);
  }

  private String projectAnswer(String operation, String project) {
    String path = operation.split(" ", 2)[1].replace("{name}", project);
    Answer answer =
        ProjectFixture.send(
            bed, admin, operation.split(" ", 2)[0], path, "{}".getBytes(StandardCharsets.UTF_8));
    return answer.status() + " " + answer.type() + " " + answer.text().replace(project, "NAME");
  }

  /** Needs a machine that does nothing else: it compares medians of milliseconds. */
  @Test
  @Tag("full")
  void shouldAnswerForForeignIdsAsFastAsForUnknownOnes() {
    ProjectFixture unknown = ProjectFixture.unknown();
    Map<String, Double> ratios = new TreeMap<>();

    for (String operation : operationsWithTarget()) {
      ratios.put(operation, ratio(operation, unknown));
    }

    ratios.forEach((operation, ratio) -> System.out.printf("%.2f %s%n", ratio, operation));
    assertThat(ratios).allSatisfy((operation, ratio) -> assertThat(ratio).isBetween(1 / 1.2, 1.2));
  }

  /** Returns the median time of answers for foreign ids, divided by that for unknown ones. */
  private double ratio(String operation, ProjectFixture unknown) {
    List<Long> ofForeign = new ArrayList<>();
    List<Long> ofUnknown = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      ofForeign.add(nanos(operation, foreign));
      ofUnknown.add(nanos(operation, unknown));
    }
    return (double) median(ofForeign) / median(ofUnknown);
  }

  private long nanos(String operation, ProjectFixture target) {
    String path = path(operation, target);
    byte[] body = body(operation, target);
    long start = System.nanoTime();
    ProjectFixture.send(bed, admin, operation.split(" ", 2)[0], path, body);
    return System.nanoTime() - start;
  }

  private static long median(List<Long> times) {
    return times.stream().sorted().skip(times.size() / 2).findFirst().orElseThrow();
  }

  @Test
  void shouldFindTargetsOfTheOwnProject() {
    List<String> wrong = new ArrayList<>();

    for (String operation : operationsWithTarget()) {
      // Deleting comes last, below.
      if (!operation.equals("DELETE /runs/{id}")) {
        String answer = answer(admin, operation, own, path(operation, own));
        if (answer.startsWith("404") || answer.startsWith("403") || answer.startsWith("5")) {
          wrong.add(operation + ": " + answer);
        }
      }
    }

    assertThat(wrong).isEmpty();
  }

  @Test
  void shouldNotFindForeignRunsByShortIdsAndAliases() {
    for (String path :
        List.of(
            "/runs/SHORT",
            "/runs/SHORT/epoch",
            "/runs/SHORT/events",
            "/approvals?run=SHORT",
            "/checkpoints?run=SHORT")) {
      ProjectFixture unknown = ProjectFixture.unknown();
      String ofForeign = shortAnswer(path, foreign);
      assertThat(ofForeign).as(path).isEqualTo(shortAnswer(path, unknown)).startsWith("404");
    }
  }

  private String shortAnswer(String path, ProjectFixture target) {
    String display = target.run().substring(20);
    Answer answer =
        ProjectFixture.send(bed, admin, "GET", path.replace("SHORT", display), new byte[0]);
    return answer.status() + " " + answer.text().replace(display, "SHORT");
  }

  @Test
  void shouldStreamNoForeignEvents() throws Exception {
    String stream = "/runs/%s/events";
    String accept = "Accept: text/event-stream\r\nConnection: close\r\n";

    assertThat(raw(stream, accept, foreign))
        .isEqualTo(raw(stream, accept, ProjectFixture.unknown()))
        .startsWith("HTTP/1.1 404")
        .doesNotContain("orders", "event:");
  }

  @Test
  void shouldOpenNoForeignTerminal() throws Exception {
    String screen = "/runs/%s/terminal";
    String upgrade =
        "Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

    assertThat(raw(screen, upgrade, foreign))
        .isEqualTo(raw(screen, upgrade, ProjectFixture.unknown()))
        .startsWith("HTTP/1.1 404");
  }

  /** Sends a request that clients of HTTP cannot send; returns the response without its ids. */
  private String raw(String path, String headers, ProjectFixture target) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", bed.port())) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write(
              ("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n%s\r\n")
                  .formatted(path.formatted(target.run()), bed.port(), admin, headers)
                  .getBytes(StandardCharsets.US_ASCII));
      StringBuilder answer = new StringBuilder();
      byte[] part = new byte[4096];
      int length = 0;
      while (length >= 0) {
        answer.append(new String(part, 0, length, StandardCharsets.UTF_8));
        // After a refused upgrade the connection stays open.
        length =
            answer.indexOf("HTTP/1.1 4") == 0 && answer.indexOf("}") > 0
                ? -1
                : socket.getInputStream().read(part);
      }
      return target
          .masked(answer.toString())
          .replaceAll("Baton-Request-Id: \\w+", "Baton-Request-Id: ID");
    }
  }

  @Test
  void shouldAnswerForForeignIdsOverGrpcAsForUnknownOnes() throws Exception {
    ProjectFixture unknown = ProjectFixture.unknown();
    Set<String> compared = new TreeSet<>();
    ManagedChannel channel = bed.channel(Optional.of(admin));
    try {
      for (MethodDescriptor<?, ?> method : RunsServiceGrpc.getServiceDescriptor().getMethods()) {
        Optional<String> ofForeign = call(channel, method, foreign);
        if (ofForeign.isPresent()) {
          compared.add(String.valueOf(method.getBareMethodName()));
          assertThat(ofForeign)
              .as(method.getFullMethodName())
              .isEqualTo(call(channel, method, unknown));
          assertThat(ofForeign.get()).as(method.getFullMethodName()).startsWith("NOT_FOUND");
        }
      }
    } finally {
      channel.shutdownNow();
      channel.awaitTermination(5, TimeUnit.SECONDS);
    }
    assertThat(compared)
        .containsExactlyInAnyOrder(
            "GetRun",
            "CancelRun",
            "PauseRun",
            "ResumeRun",
            "ForkRun",
            "AnswerApproval",
            "ListApprovals",
            "StreamEvents");
  }

  /** Calls a method whose request names a run or an approval; returns empty for others. */
  private static <Q, A> Optional<String> call(
      ManagedChannel channel, MethodDescriptor<Q, A> method, ProjectFixture target)
      throws Exception {
    Q empty = method.getRequestMarshaller().parse(new ByteArrayInputStream(new byte[0]));
    Message.Builder request = ((Message) empty).toBuilder();
    FieldDescriptor run = request.getDescriptorForType().findFieldByName("run");
    FieldDescriptor approval = request.getDescriptorForType().findFieldByName("approval");
    if (run == null && approval == null) {
      return Optional.empty();
    }
    request.setField(run == null ? approval : run, run == null ? target.approval() : target.run());
    set(request, "step", "a");
    set(request, "answer", ByteString.copyFromUtf8("true"));
    try {
      ClientCalls.blockingServerStreamingCall(
              channel,
              method,
              CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS),
              method
                  .getRequestMarshaller()
                  .parse(new ByteArrayInputStream(request.build().toByteArray())))
          .forEachRemaining(answer -> {});
      return Optional.of("OK");
    } catch (StatusRuntimeException e) {
      return Optional.of(
          e.getStatus().getCode()
              + " "
              + target.masked(String.valueOf(e.getStatus().getDescription())));
    }
  }

  private static void set(Message.Builder request, String name, Object value) {
    FieldDescriptor field = request.getDescriptorForType().findFieldByName(name);
    if (field != null) {
      request.setField(field, value);
    }
  }

  @Test
  void shouldListTheOwnProjectOnlyAcrossPages() {
    ProjectFixture.create(bed, pool, "orders");
    ProjectFixture second = ProjectFixture.create(bed, pool, "payments");
    ProjectFixture.create(bed, pool, "orders");

    assertThat(pages("/runs?limit=1", "runs", "project")).containsOnly("payments");
    assertThat(pages("/runs?limit=1", "runs", "id")).contains(own.run(), second.run());
    assertThat(pages("/approvals?limit=1", "approvals", "id"))
        .contains(own.approval(), second.approval())
        .doesNotContain(foreign.approval());
    assertThat(pages("/archive?limit=1", "runs", "run"))
        .containsExactlyInAnyOrder(own.run(), second.run());
    assertThat(pages("/runs/history?limit=1", "runs", "run")).doesNotContain(foreign.run());
    assertThat(pages("/checkpoints?project=payments&limit=1", "checkpoints", "id"))
        .contains(own.checkpoint());
    assertThat(pages("/checkpoints?project=orders&limit=1", "checkpoints", "id")).isEmpty();
    assertThat(pages("/runs?project=orders&limit=1", "runs", "id")).isEmpty();
  }

  private List<String> pages(String path, String list, String field) {
    List<String> found = new ArrayList<>();
    String cursor = "";
    for (int page = 0; page < 1_000; page++) {
      Answer answer =
          ProjectFixture.send(
              bed, admin, "GET", path + (cursor.isEmpty() ? "" : "&cursor=" + cursor), new byte[0]);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      answer.json().path(list).forEach(row -> found.add(row.path(field).asText()));
      cursor = answer.json().path("next_cursor").asText("");
      if (cursor.isEmpty()) {
        return found;
      }
    }
    throw new IllegalStateException("the pages of " + path + " do not end");
  }

  @Test
  void shouldChangeNoForeignRunsInBulk() {
    String body = "{\"all\": true, \"dry_run\": true, \"limit\": 1000}";
    for (String path : List.of("/runs/bulk/cancel", "/runs/bulk/delete")) {
      Answer answer =
          ProjectFixture.send(bed, admin, "POST", path, body.getBytes(StandardCharsets.UTF_8));

      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      assertThat(answer.text()).doesNotContain(foreign.run());
      if (path.endsWith("cancel")) {
        assertThat(answer.text()).contains(own.run());
      }
    }
  }

  @Test
  void shouldReplayNoResponseToAnotherCaller() {
    String other = ProjectFixture.key(bed, Map.of("payments", "operator", "orders", "operator"));
    Set<String> created = new LinkedHashSet<>();
    for (String key : List.of(admin, other)) {
      created.add(create(key, "payments"));
      assertThat(create(key, "payments")).isIn(created);
    }
    created.add(create(other, "orders"));

    assertThat(created).hasSize(3);
  }

  private String create(String key, String project) {
    OrchestratorTestClient client = new OrchestratorTestClient(bed.base(), Optional.of(key));
    Answer answer =
        ProjectFixture.unlessBusy(
            () ->
                client.json(
                    "/runs",
                    "{\"kind\": \"external\", \"workflow\": \"border\", \"project\": \"%s\"}"
                        .formatted(project),
                    "Idempotency-Key",
                    "border-" + own.run()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    return answer.json().path("id").asText();
  }

  @Test
  void shouldCreateRunsInOwnProjectsOnly() {
    String operator = ProjectFixture.key(bed, Map.of("payments", "operator", "orders", "viewer"));
    for (String project : List.of("orders", "default", "not-there")) {
      for (String body :
          List.of(
              "{\"workflow\": \"x\", \"project\": \"%s\"}",
              "{\"runs\": [{\"workflow\": \"x\", \"project\": \"payments\"}, {\"workflow\": \"x\", \"project\": \"%s\"}]}")) {
        Answer answer =
            ProjectFixture.send(
                bed,
                operator,
                "POST",
                body.contains("runs") ? "/runs/batch" : "/runs",
                body.formatted(project).getBytes(StandardCharsets.UTF_8));

        assertThat(answer.status()).as(answer.text()).isEqualTo(403);
        assertThat(answer.text()).contains("operator", project);
      }
    }
  }

  @Test
  void shouldStoreNoDefinitionForAllProjects() {
    String definition =
        "{\"name\": \"taken-over\", \"steps\": [{\"id\": \"a\", \"transform\": \"1\"}]}";
    for (Map.Entry<String, String> request :
        Map.of(
                "/workflows",
                definition,
                "/runs",
                "{\"project\": \"payments\", \"definition\": " + definition + "}",
                "/runs/" + own.run() + "/resume",
                "{\"definition\": " + definition + "}",
                "/runs/" + own.run() + "/fork",
                "{\"step\": \"a\", \"definition\": " + definition + "}")
            .entrySet()) {
      Answer answer =
          ProjectFixture.send(
              bed,
              admin,
              "POST",
              request.getKey(),
              request.getValue().getBytes(StandardCharsets.UTF_8));
      assertThat(answer.status()).as(request.getKey() + ": " + answer.text()).isEqualTo(403);
    }
    assertThat(bed.api().get("/workflows/taken-over").status()).isEqualTo(404);
  }
}
