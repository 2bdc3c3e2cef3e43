/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.testing.FakeStore;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestClient.Answer;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** A run with an approval and a checkpoint in a project, and keys. */
record ProjectFixture(String project, String run, String approval, String checkpoint) {
  private static final Duration BOUND = Duration.ofSeconds(30);

  /** Creates an external run, which no launcher starts, as an admin. */
  static ProjectFixture create(OrchestratorTestEnvironment bed, Pool pool, String project) {
    Answer created =
        unlessBusy(
            () ->
                bed.api()
                    .json(
                        "/runs",
                        "{\"kind\": \"external\", \"workflow\": \"border\", \"project\": \"%s\"}"
                            .formatted(project)));
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    String run = created.json().path("id").asText();
    String approval = run + "-ok-1";
    pool.preparedQuery(
            "INSERT INTO orchestrator.approval (id, run, step, prompt, status, asked_at)"
                + " VALUES ($1, $2, 'ok', 'Go?', 'waiting', now())")
        .execute(Tuple.of(approval, run))
        .await()
        .atMost(BOUND);
    String checkpoint = RunId.next();
    FakeStore.put(checkpoint, run, project, "verified");
    FakeStore.archive(run, "{\"project\": \"%s\", \"schema\": 1}".formatted(project));
    return new ProjectFixture(project, run, approval, checkpoint);
  }

  /** Names what does not exist. */
  static ProjectFixture unknown() {
    String run = RunId.next();
    return new ProjectFixture("", run, run + "-ok-1", RunId.next());
  }

  /** Replaces the parameters of a path by the ids of this project. */
  String path(String template) {
    return template
        .replace("/approvals/{id}", "/approvals/" + approval)
        .replaceAll("/checkpoints/\\{(id|checkpoint)}", "/checkpoints/" + checkpoint)
        .replaceAll("\\{(id|run)}", run)
        .replaceAll("\\{\\w+}", "none");
  }

  /** Replaces the ids of this project, so that answers can be compared. */
  String masked(String text) {
    return text.replace(approval, "APPROVAL").replace(checkpoint, "CHECKPOINT").replace(run, "RUN");
  }

  /** Creates a key with these roles; returns its text. */
  static String key(OrchestratorTestEnvironment bed, Map<String, String> projects) {
    ObjectNode body = Json.mapper().createObjectNode().put("name", "border");
    ObjectNode roles = body.putObject("projects");
    projects.forEach(roles::put);
    Answer created = unlessBusy(() -> bed.api().json("/api-keys", body.toString()));
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    return created.json().path("key").asText();
  }

  static Answer send(
      OrchestratorTestEnvironment bed, String key, String method, String path, byte[] body) {
    OrchestratorTestClient client = new OrchestratorTestClient(bed.base(), Optional.of(key));
    return unlessBusy(
        () ->
            client.send(
                client
                    .request(path)
                    .header(
                        "Content-Type",
                        path.endsWith("/packs/find")
                            ? "application/octet-stream"
                            : "application/json")
                    .method(
                        method,
                        method.equals("GET")
                            ? BodyPublishers.noBody()
                            : BodyPublishers.ofByteArray(body))));
  }

  /**
   * Repeats a request that the service sheds, before it has handled it, on a machine under load.
   */
  static Answer unlessBusy(Supplier<Answer> request) {
    long end = System.nanoTime() + BOUND.toNanos();
    Answer answer = request.get();
    while (answer.status() == 503 && System.nanoTime() < end) {
      LockSupport.parkNanos(50_000_000);
      answer = request.get();
    }
    return answer;
  }
}
