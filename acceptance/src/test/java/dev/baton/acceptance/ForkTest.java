/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** New runs from the cuts of others: nothing is repeated, and the parent stays as it is. */
@ExtendWith(SharedStack.class)
class ForkTest {
  private static final Duration END = Duration.ofSeconds(60);
  private static final Path DEFINITION = Path.of("src/test/resources/fork.yaml");

  private final SharedStack.Running on;
  private final Api api;
  private final Path ledger;
  private String parent = "";

  ForkTest(SharedStack.Running on) throws IOException {
    this.on = on;
    api = on.api;
    ledger = Files.createTempFile(on.folder, "fork", ".ledger");
  }

  @BeforeEach
  void runTheParent() throws Exception {
    api.push(Files.readString(DEFINITION));
    parent = api.start("forked", input("staging"));
    completed(parent);
  }

  private ObjectNode input(String target) {
    return Api.JSON.createObjectNode().put("target", target).put("ledger", ledger.toString());
  }

  private JsonNode completed(String run) throws Exception {
    Await.until(
        "run " + run + " has ended",
        END,
        () ->
            !api.run(run).path("ended_at").isMissingNode() && api.run(run).hasNonNull("ended_at"));
    JsonNode view = api.run(run);
    assertThat(view.path("status").asText()).as("%s", view).isEqualTo("completed");
    return view;
  }

  private List<String> ledger() throws IOException {
    return Files.readAllLines(ledger);
  }

  private String fork(String of, ObjectNode body) throws Exception {
    Api.Answer answer = api.post("/runs/" + of + "/fork", body);
    assertThat(answer.status()).as("%s", answer).isEqualTo(201);
    return answer.body().path("id").asText();
  }

  private static ObjectNode after(String step) {
    return Api.JSON.createObjectNode().put("step", step);
  }

  private static ObjectNode from(String checkpoint) {
    return Api.JSON.createObjectNode().put("checkpoint", checkpoint);
  }

  /** The checkpoint that a step ended with. */
  private String checkpoint(String run, String step) throws Exception {
    return api.events(run).stream()
        .filter(event -> event.path("type").asText().equals("step_completed"))
        .map(event -> event.path("data"))
        .filter(data -> data.path("step").asText().equals(step))
        .map(data -> data.path("cut").path("checkpoint").asText())
        .findFirst()
        .orElseThrow();
  }

  /** Everything that can be asked about a run. */
  private List<JsonNode> everything(String run) throws Exception {
    List<JsonNode> all = new ArrayList<>(api.events(run));
    all.add(api.run(run));
    for (JsonNode cut : api.get("/runs/" + run + "/cuts").body().path("cuts")) {
      all.add(((ObjectNode) cut.deepCopy()).without(List.of("verified", "verification", "verified_at")));
    }
    return all;
  }

  @Test
  void shouldGoOnAfterAStepWithAnotherInputAndLeaveTheParentAsItIs() throws Exception {
    List<JsonNode> before = everything(parent);

    ObjectNode body = after("count");
    body.set("input", input("production"));
    String child = fork(parent, body);
    JsonNode view = completed(child);

    assertThat(ledger())
        .containsExactlyInAnyOrder("build", "lint", "test", "deploy staging", "deploy production");
    JsonNode output = view.path("output");
    JsonNode parents = api.run(parent).path("output");
    assertThat(output.path("digest")).isEqualTo(parents.path("digest"));
    assertThat(output.path("length").asInt()).isEqualTo(64);
    assertThat(output.path("said").asText().strip()).isEqualTo("built clean passed production");
    assertThat(parents.path("said").asText().strip()).isEqualTo("built clean passed staging");
    assertThat(view.path("forked_from").path("run").asText()).isEqualTo(parent);
    assertThat(view.path("forked_from").path("step").asText()).isEqualTo("count");
    List<String> steps = new ArrayList<>();
    view.path("steps").forEach(step -> steps.add(step.path("step").asText()));
    assertThat(steps).contains("build", "check", "check/quick/lint", "count", "deploy", "report");
    assertThat(everything(parent)).isEqualTo(before);
  }

  @Test
  void shouldGoOnInsideAParallelWhereOneBranchHasEnded() throws Exception {
    String lint = checkpoint(parent, "check/quick/lint");
    String test = checkpoint(parent, "check/slow/test");
    boolean lintFirst = lint.compareTo(test) < 0;

    String child = fork(parent, from(lintFirst ? lint : test));
    completed(child);

    List<String> again = new ArrayList<>(ledger());
    List.of("build", "lint", "test", "deploy staging").forEach(again::remove);
    assertThat(again).containsExactlyInAnyOrder(lintFirst ? "test" : "lint", "deploy staging");
  }

  @Test
  void shouldStartARunFromACheckpointByCommandAndSurviveTheDeathOfItsRunner() throws Exception {
    String child = "";
    String checkpoint = checkpoint(parent, "build");
    BatonCommand.Result command =
        BatonCommand.run(on, "-o", "json", "checkpoint", "restore", checkpoint, "--run");
    assertThat(command.code()).as("%s", command).isZero();
    child = Api.JSON.readTree(command.out()).path("id").asText();
    String run = child;
    Await.until(
        "a test runs",
        END,
        () -> ledger().stream().filter(line -> line.equals("test")).count() > 1);
    RunnerProcess.of(run).orElseThrow().kill(true);

    JsonNode view = completed(run);

    assertThat(view.path("epoch").asInt()).isEqualTo(2);
    assertThat(ledger().stream().filter(line -> line.equals("build"))).hasSize(1);
    assertThat(view.path("output").path("said").asText().strip())
        .isEqualTo("built clean passed staging");
    BatonCommand.Result status = BatonCommand.run(on, "status", run);
    assertThat(status.out()).contains("forked from").contains(parent);
  }

  @Test
  void shouldOutliveItsParent() throws Exception {
    String child = fork(parent, after("check"));
    completed(child);
    delete(parent);
    String grandchild = fork(child, after("count"));
    completed(grandchild);
    delete(child);

    String last = fork(grandchild, from(firstOf(grandchild)));
    JsonNode view = completed(last);

    assertThat(ledger().stream().filter(line -> line.equals("build"))).hasSize(1);
    assertThat(ledger().stream().filter(line -> line.equals("deploy staging"))).hasSize(4);
    assertThat(view.path("output").path("said").asText().strip())
        .isEqualTo("built clean passed staging");
  }

  private void delete(String run) throws Exception {
    Api.Answer answer = api.delete("/runs/" + run + "?now=true");
    assertThat(answer.status()).as("%s", answer).isEqualTo(200);
  }

  /** The checkpoint that a fork began with. */
  private String firstOf(String run) throws Exception {
    JsonNode page = api.get("/cuts?run=" + run + "&limit=1000").body().path("cuts");
    return StreamSupport.stream(page.spliterator(), false)
        .map(cut -> cut.path("id").asText())
        .min(String::compareTo)
        .orElseThrow();
  }

  @Test
  void shouldSayWhyItCannot() throws Exception {
    ObjectNode changed = after("build");
    changed.set(
        "definition",
        Api.JSON.readTree(
            """
            {"name": "other", "steps": [{"id": "build", "transform": "1"}, {"id": "else", "transform": "2"}]}"""));
    Api.Answer answer = api.post("/runs/" + parent + "/fork", changed);
    assertThat(answer.status()).as("%s", answer).isEqualTo(409);
    assertThat(answer.body().toString())
        .contains("step 'build' has completed as shell and is transform")
        .contains("goes on with step 'check'");

    Api.Answer nothing = api.post("/runs/" + parent + "/fork", Api.JSON.createObjectNode());
    assertThat(nothing.status()).isEqualTo(400);
    assertThat(nothing.body().toString()).contains("'checkpoint' and 'step'");
    Api.Answer unknown = api.post("/runs/" + parent + "/fork", after("nope"));
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.body().toString()).contains("nope");
    BatonCommand.Result command = BatonCommand.run(on, "replay", parent);
    assertThat(command.code()).isEqualTo(2);
    assertThat(command.err()).contains("--checkpoint");
  }
}
