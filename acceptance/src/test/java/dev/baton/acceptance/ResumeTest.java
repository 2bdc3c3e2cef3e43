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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Resumes failed runs with the step that failed. */
@UsesSharedStack
class ResumeTest {
  private static final Duration END = Duration.ofSeconds(60);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  private final Path ledger;
  private final Path gate;
  private final Path works;

  ResumeTest() throws IOException {
    ledger = Files.createTempFile(on.folder, "resume", ".ledger");
    gate = on.folder.resolve(ledger.getFileName() + ".gate");
    works = on.folder.resolve(ledger.getFileName() + ".switch");
  }

  @BeforeAll
  static void push(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    api = running.api;
    api.push(Files.readString(Path.of("src/test/resources/resume.yaml")));
  }

  private String failed() throws Exception {
    String run = api.start("resumed", input());
    // A failing branch ends its siblings: only a step that has completed is not run again.
    api.awaitCompletion(run, "lint", END);
    Files.createFile(gate);
    assertThat(ended(run).path("status").asText()).isEqualTo("failed");
    return run;
  }

  private static JsonNode ended(String run) throws Exception {
    Await.until("run " + run + " has ended", END, () -> api.run(run).hasNonNull("ended_at"));
    return api.run(run);
  }

  private List<String> ledger() throws IOException {
    return Files.readAllLines(ledger);
  }

  @Test
  void shouldGoOnWithTheStepThatFailedAndAllItsAttempts() throws Exception {
    String run = failed();
    assertThat(ledger()).containsExactlyInAnyOrder("build", "lint", "fetch", "fetch");

    AcceptanceApiClient.Answer again =
        api.post("/runs/" + run + "/resume", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(again.status()).as("%s", again).isEqualTo(202);
    assertThat(again.body().path("status").asText()).isEqualTo("resuming");
    assertThat(again.body().path("epoch").asInt()).isEqualTo(2);
    assertThat(again.body().hasNonNull("ended_at")).isFalse();
    assertThat(ended(run).path("status").asText()).isEqualTo("failed");
    assertThat(ledger()).hasSize(6).containsOnlyOnce("build", "lint");

    Files.createFile(works);
    BatonCliInvoker.Result command = BatonCliInvoker.run(on, "resume", run, "--wait");

    assertThat(command.code()).as("%s", command).isZero();
    JsonNode view = ended(run);
    assertThat(view.path("status").asText()).isEqualTo("completed");
    assertThat(view.path("epoch").asInt()).isEqualTo(3);
    assertThat(view.path("output").asText().strip()).isEqualTo("built clean whole");
    assertThat(ledger()).hasSize(7).containsOnlyOnce("build", "lint");
    AcceptanceApiClient.Answer completed =
        api.post("/runs/" + run + "/resume", AcceptanceApiClient.JSON.createObjectNode());
    assertThat(completed.status()).isEqualTo(409);
    assertThat(completed.body().toString()).contains("has completed");
  }

  @Test
  @Tag("full")
  void shouldResumeAllThatHaveFailedAndSayWhatCannotGoOn() throws Exception {
    String run = failed();
    AcceptanceApiClient.Answer other =
        api.post("/workflows/other/resume/" + run, AcceptanceApiClient.JSON.createObjectNode());
    assertThat(other.status()).as("%s", other).isEqualTo(409);
    assertThat(other.body().toString()).contains("is of workflow 'resumed', not of 'other'");
    Files.createFile(works);

    BatonCliInvoker.Result all =
        BatonCliInvoker.run(on, "resume", "--failed", "--workflow", "resumed");

    assertThat(all.code()).as("%s", all).isZero();
    assertThat(all.out()).contains("run " + run + " resumed");
    assertThat(ended(run).path("status").asText()).isEqualTo("completed");
    String cancelled = api.start("resumed", input());
    api.post("/runs/" + cancelled + "/cancel", AcceptanceApiClient.JSON.createObjectNode());
    ended(cancelled);
    BatonCliInvoker.Result refused = BatonCliInvoker.run(on, "resume", cancelled);
    assertThat(refused.code()).as("%s", refused).isEqualTo(5);
    assertThat(refused.err()).contains("was cancelled and cannot be resumed");
    assertThat(BatonCliInvoker.run(on, "resume").code()).isEqualTo(2);
  }

  private static final String CORRECTED =
      """
      name: corrected
      input: {type: object}
      steps:
        - {id: plan, shell: 'echo plan >> "$LEDGER"; echo planned >> files; echo 3', output: json, env: {LEDGER: "${{ .input.ledger }}"}}
        - id: make
          shell: 'echo "make $N" >> "$LEDGER"; echo made >> files; echo "$N"'
          output: json
          env: {LEDGER: "${{ .input.ledger }}", N: "${{ .steps.plan.output }}"}
        - {id: check, shell: 'echo check >> "$LEDGER"; echo checked >> files; test "$N" != 3', env: {LEDGER: "${{ .input.ledger }}", N: "${{ .steps.make.output }}"}}
        - {id: show, shell: 'cat files', output: lines}
        - {id: all, transform: '{made: .steps.make.output, files: .steps.show.output, checked: .steps.check.output}'}
      """;

  private String corrected() throws Exception {
    api.push(CORRECTED);
    String run = api.start("corrected", input());
    assertThat(ended(run).path("status").asText()).isEqualTo("failed");
    assertThat(ledger()).containsExactly("plan", "make 3", "check");
    return run;
  }

  private static JsonNode asked(String run) throws Exception {
    List<JsonNode> all =
        api.events(run).stream()
            .filter(event -> event.path("type").asText().equals("resume_requested"))
            .map(event -> event.path("data"))
            .toList();
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  @Test
  @Tag("full")
  void shouldTellEachCompletedStepAsReplayedParallelBranchesOneByOne() throws Exception {
    String run = failed();
    Files.createFile(works);

    assertThat(
            api.post(
                    "/workflows/resumed/resume/" + run, AcceptanceApiClient.JSON.createObjectNode())
                .status())
        .isEqualTo(202);
    JsonNode view = ended(run);

    assertThat(view.path("status").asText()).isEqualTo("completed");
    List<String> replayed =
        api.events(run).stream()
            .filter(event -> event.path("type").asText().equals("step_skipped"))
            .map(event -> event.path("data"))
            .filter(data -> data.path("reason").asText().equals("replayed from snapshot"))
            .map(data -> data.path("step").asText())
            .toList();
    assertThat(replayed).containsExactlyInAnyOrder("build", "sides/good/lint");
    assertThat(ledger()).containsOnlyOnce("build", "lint");
  }

  @Test
  void shouldRunAgainFromAnEarlierStepOnTheFilesOfThenWithACorrectedOutput() throws Exception {
    String run = corrected();

    BatonCliInvoker.Result command =
        BatonCliInvoker.run(
            on,
            "resume",
            run,
            "--from",
            "make",
            "--set",
            "steps.plan.output=5",
            "--by",
            "me",
            "--wait");

    assertThat(command.code()).as("%s", command).isZero();
    JsonNode view = ended(run);
    assertThat(view.path("output").path("made").asInt()).isEqualTo(5);
    assertThat(view.path("output").path("files").toString())
        .isEqualTo("[\"planned\",\"made\",\"checked\"]");
    assertThat(ledger()).containsExactly("plan", "make 3", "check", "make 5", "check");
    JsonNode asked = asked(run);
    assertThat(asked.path("from").asText()).isEqualTo("make");
    assertThat(asked.path("set").path("plan").path("value").asInt()).isEqualTo(5);
    assertThat(asked.path("by").asText()).endsWith(" (me)");
  }

  @Test
  @Tag("full")
  void shouldGoBackToTheSameStateWhenTheRunnerIsKilledRightAfter() throws Exception {
    String run = corrected();
    ObjectNode body = AcceptanceApiClient.JSON.createObjectNode().put("from", "make");
    body.putObject("set").put("plan", 6);

    assertThat(api.post("/runs/" + run + "/resume", body).status()).isEqualTo(202);
    Await.until(
        "a runner has it",
        END,
        () -> RunnerProcessHandle.of(run).filter(it -> it.epoch() == 2).isPresent());
    RunnerProcessHandle.of(run).orElseThrow().kill(true);

    JsonNode view = ended(run);
    assertThat(view.path("status").asText()).as("%s", view).isEqualTo("completed");
    assertThat(view.path("epoch").asInt()).isEqualTo(3);
    assertThat(view.path("output").path("made").asInt()).isEqualTo(6);
    assertThat(view.path("output").path("files").toString())
        .isEqualTo("[\"planned\",\"made\",\"checked\"]");
  }

  @Test
  @Tag("full")
  void shouldSkipTheStepThatFailed() throws Exception {
    String run = corrected();

    BatonCliInvoker.Result command =
        BatonCliInvoker.run(on, "resume", run, "--skip", "check", "--wait");

    assertThat(command.code()).as("%s", command).isZero();
    JsonNode view = ended(run);
    assertThat(view.path("output").path("checked").isNull()).isTrue();
    assertThat(view.path("output").path("made").asInt()).isEqualTo(3);
    assertThat(ledger()).containsExactly("plan", "make 3", "check");
    assertThat(asked(run).path("skip").path(0).asText()).isEqualTo("check");
  }

  @Test
  void shouldSayWhatCannotBeCorrected() throws Exception {
    String run = corrected();

    BatonCliInvoker.Result set =
        BatonCliInvoker.run(on, "resume", run, "--from", "make", "--set", "steps.make.output=1");
    assertThat(set.code()).as("%s", set).isEqualTo(5);
    assertThat(set.err()).contains("step 'make' has not completed before 'make'");
    BatonCliInvoker.Result skip = BatonCliInvoker.run(on, "resume", run, "--skip", "plan");
    assertThat(skip.code()).as("%s", skip).isEqualTo(5);
    assertThat(skip.err()).contains("'plan' is not the run's next step; the next step is 'check'");
    BatonCliInvoker.Result from = BatonCliInvoker.run(on, "resume", run, "--from", "show");
    assertThat(from.code()).as("%s", from).isEqualTo(3);
    assertThat(from.err()).contains("has not come to a step 'show'");
    BatonCliInvoker.Result text =
        BatonCliInvoker.run(on, "resume", run, "--set", "steps.plan.output=x");
    assertThat(text.code()).as("%s", text).isEqualTo(2);
    assertThat(text.err()).contains("is not valid JSON");
    assertThat(api.run(run).path("epoch").asInt()).isEqualTo(1);
  }

  @Test
  void shouldRefuseAChangedDefinitionAndSayWhatDiffersUntilThatIsAccepted() throws Exception {
    String run = corrected();
    Path same = Files.writeString(on.folder.resolve(run + ".yaml"), CORRECTED);
    Path fits =
        Files.writeString(
            on.folder.resolve(run + "-fits.yaml"),
            CORRECTED
                .replace("test \"$N\" != 3", "echo checks")
                .replace("{id: plan, ", "{id: plan, title: Plan, ")
                .replace("- {id: show,", "- {id: more, transform: '1'}\n  - {id: show,"));
    Path does =
        Files.writeString(
            on.folder.resolve(run + "-not.yaml"), CORRECTED.replace("echo made", "echo created"));

    BatonCliInvoker.Result changed =
        BatonCliInvoker.run(on, "resume", run, "--file", fits.toString());
    assertThat(changed.code()).as("%s", changed).isEqualTo(5);
    assertThat(changed.err())
        .contains("the definition has changed since run " + run + " began")
        .contains("step 'plan' has a different title, retry, timeout, next, gate or resume")
        .contains("step 'check' has other inputs")
        .contains("step 'more' is new");
    BatonCliInvoker.Result refused =
        BatonCliInvoker.run(on, "resume", run, "--file", does.toString(), "--accept-changes");
    assertThat(refused.code()).as("%s", refused).isEqualTo(5);
    assertThat(refused.err()).contains("step 'make' has completed with other inputs");
    assertThat(api.run(run).path("epoch").asInt()).isEqualTo(1);

    BatonCliInvoker.Result accepted =
        BatonCliInvoker.run(
            on, "resume", run, "--file", fits.toString(), "--accept-changes", "--wait");

    assertThat(accepted.code()).as("%s", accepted).isZero();
    assertThat(ledger()).containsExactly("plan", "make 3", "check", "check");
    JsonNode view = ended(run);
    assertThat(view.path("status").asText()).isEqualTo("completed");
    assertThat(asked(run).path("definition_hash").asText())
        .isEqualTo(view.path("definition_hash").asText());
    assertThat(asked(run).path("changes").toString()).contains("step 'check' has other inputs");
    List<String> steps = new ArrayList<>();
    view.path("steps").forEach(step -> steps.add(step.path("step").asText()));
    assertThat(steps).contains("more");

    String other = corrected2();
    assertThat(BatonCliInvoker.run(on, "resume", other, "--file", same.toString()).code()).isZero();
    assertThat(ended(other).path("status").asText()).isEqualTo("failed");
  }

  /** Starts another run of the same definition. */
  private String corrected2() throws Exception {
    api.push(CORRECTED);
    String run = api.start("corrected", input());
    ended(run);
    return run;
  }

  private ObjectNode input() {
    return AcceptanceApiClient.JSON
        .createObjectNode()
        .put("ledger", ledger.toString())
        .put("gate", gate.toString())
        .put("switch", works.toString());
  }
}
