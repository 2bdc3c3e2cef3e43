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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Forks runs from the checkpoints of others: no completed step is repeated, and the parent does not
 * change.
 */
@UsesSharedStack
class ForkTest {
  private static final Duration END = Duration.ofSeconds(60);
  private static final Path DEFINITION = Path.of("src/test/resources/fork.yaml");

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  /** The ledger of the parent that most tests use. */
  @SuppressWarnings("NullAway.Init")
  private static Path parentsLedger;

  private static String parent = "";

  private final Path ledger;

  ForkTest() throws IOException {
    ledger = Files.createTempFile(on.folder, "fork", ".ledger");
  }

  @BeforeAll
  static void runTheParent(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    api = running.api;
    api.push(Files.readString(DEFINITION));
    parentsLedger = Files.createTempFile(on.folder, "parent", ".ledger");
    parent = api.start("forked", input("staging", parentsLedger));
    completed(parent);
  }

  private static ObjectNode input(String target, Path ledger) {
    return AcceptanceApiClient.JSON
        .createObjectNode()
        .put("target", target)
        .put("ledger", ledger.toString());
  }

  private static JsonNode completed(String run) throws Exception {
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

  private long count(Path in, String line) throws IOException {
    return Files.readAllLines(in).stream().filter(line::equals).count();
  }

  private String fork(String of, ObjectNode body) throws Exception {
    AcceptanceApiClient.Answer answer = api.post("/runs/" + of + "/fork", body);
    assertThat(answer.status()).as("%s", answer).isEqualTo(201);
    return answer.body().path("id").asText();
  }

  private static ObjectNode after(String step) {
    return AcceptanceApiClient.JSON.createObjectNode().put("step", step);
  }

  private static ObjectNode from(String checkpoint) {
    return AcceptanceApiClient.JSON.createObjectNode().put("checkpoint", checkpoint);
  }

  /** Returns the checkpoint at the end of a step. */
  private String checkpoint(String run, String step) throws Exception {
    return api.events(run).stream()
        .filter(event -> event.path("type").asText().equals("step_completed"))
        .map(event -> event.path("data"))
        .filter(data -> data.path("step").asText().equals(step))
        .map(data -> data.path("cut").path("checkpoint").asText())
        .findFirst()
        .orElseThrow();
  }

  /** Returns all data of a run that the API offers. */
  private List<JsonNode> everything(String run) throws Exception {
    List<JsonNode> all = new ArrayList<>(api.events(run));
    all.add(api.run(run));
    for (JsonNode cut : api.get("/runs/" + run + "/checkpoints").body().path("checkpoints")) {
      all.add(
          ((ObjectNode) cut.deepCopy())
              .without(List.of("verified", "verification", "verified_at")));
    }
    return all;
  }

  @Test
  void shouldGoOnAfterAStepWithAnotherInputAndLeaveTheParentAsItIs() throws Exception {
    List<JsonNode> before = everything(parent);

    ObjectNode body = after("count");
    body.set("input", input("production", ledger));
    String child = fork(parent, body);
    JsonNode view = completed(child);

    assertThat(ledger()).containsExactly("deploy production");
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

    BatonCliInvoker.Result diff = BatonCliInvoker.run(on, "diff", parent, child);
    assertThat(diff.code()).as("%s", diff).isZero();
    assertThat(diff.out())
        .contains("step deploy: output, files", "step report: output", "M deployed (content")
        .contains("files: 0 added, 0 removed, 1 changed")
        .doesNotContain("step build", "step count");
    BatonCliInvoker.Result lineage = BatonCliInvoker.run(on, "lineage", child);
    assertThat(lineage.code()).as("%s", lineage).isZero();
    String display = child.substring(20);
    assertThat(lineage.out())
        .startsWith(parent.substring(20) + "  forked  completed")
        .contains("── " + display + "  forked  completed, from step count  ◂");
  }

  @Test
  void shouldGoOnInsideAParallelWhereOneBranchHasEnded() throws Exception {
    String lint = checkpoint(parent, "check/quick/lint");
    String test = checkpoint(parent, "check/slow/test");
    boolean lintFirst = lint.compareTo(test) < 0;

    ObjectNode body = from(lintFirst ? lint : test);
    body.set("input", input("staging", ledger));

    completed(fork(parent, body));

    assertThat(ledger()).containsExactly(lintFirst ? "test" : "lint", "deploy staging");
  }

  @Test
  void shouldStartARunFromACheckpointByCommandAndSurviveTheDeathOfItsRunner() throws Exception {
    long tests = count(parentsLedger, "test");
    BatonCliInvoker.Result command =
        BatonCliInvoker.run(
            on, "-o", "json", "checkpoint", "restore", checkpoint(parent, "build"), "--run");
    assertThat(command.code()).as("%s", command).isZero();
    String run = AcceptanceApiClient.JSON.readTree(command.out()).path("id").asText();
    Await.until("a test runs", END, () -> count(parentsLedger, "test") > tests);
    RunnerProcessHandle.of(run).orElseThrow().kill(true);

    JsonNode view = completed(run);

    assertThat(view.path("epoch").asInt()).isEqualTo(2);
    assertThat(count(parentsLedger, "build")).isEqualTo(1);
    assertThat(view.path("output").path("said").asText().strip())
        .isEqualTo("built clean passed staging");
    BatonCliInvoker.Result status = BatonCliInvoker.run(on, "status", run);
    assertThat(status.out()).contains("forked from").contains(parent);
  }

  @Test
  void shouldOutliveItsParent() throws Exception {
    String first = api.start("forked", input("staging", ledger));
    completed(first);
    String child = fork(first, after("check"));
    completed(child);
    delete(first);
    String grandchild = fork(child, after("count"));
    completed(grandchild);
    delete(child);

    String last = fork(grandchild, from(firstOf(grandchild)));
    JsonNode view = completed(last);

    assertThat(count(ledger, "build")).isEqualTo(1);
    assertThat(count(ledger, "deploy staging")).isEqualTo(4);
    assertThat(BatonCliInvoker.run(on, "lineage", last).out())
        .contains("forked from " + child + ", which was deleted, from step count", "└── ");
    assertThat(view.path("output").path("said").asText().strip())
        .isEqualTo("built clean passed staging");
  }

  private void delete(String run) throws Exception {
    AcceptanceApiClient.Answer answer = api.delete("/runs/" + run + "?now=true");
    assertThat(answer.status()).as("%s", answer).isEqualTo(200);
  }

  /** Returns the checkpoint that a fork starts from. */
  private String firstOf(String run) throws Exception {
    JsonNode page = api.get("/checkpoints?run=" + run + "&limit=1000").body().path("checkpoints");
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
        AcceptanceApiClient.JSON.readTree(
            """
            {"name": "other", "steps": [{"id": "build", "transform": "1"}, {"id": "else", "transform": "2"}]}"""));
    AcceptanceApiClient.Answer answer = api.post("/runs/" + parent + "/fork", changed);
    assertThat(answer.status()).as("%s", answer).isEqualTo(409);
    assertThat(answer.body().toString())
        .contains("step 'build' has completed as shell and is transform")
        .contains("resumes with step 'check'");

    AcceptanceApiClient.Answer nothing =
        api.post("/runs/" + parent + "/fork", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(nothing.status()).isEqualTo(400);
    assertThat(nothing.body().toString()).contains("'checkpoint' and 'step'");
    AcceptanceApiClient.Answer unknown = api.post("/runs/" + parent + "/fork", after("nope"));
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.body().toString()).contains("nope");
    BatonCliInvoker.Result command = BatonCliInvoker.run(on, "replay", parent);
    assertThat(command.code()).isEqualTo(2);
    assertThat(command.err()).contains("--checkpoint");
  }
}
