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
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs that failed go on with the step that failed, as if it had not. */
@ExtendWith(SharedStack.class)
class ResumeTest {
  private static final Duration END = Duration.ofSeconds(60);

  @SuppressWarnings("NullAway.Init")
  private static SharedStack.Running on;

  @SuppressWarnings("NullAway.Init")
  private static Api api;

  private final Path ledger;
  private final Path works;

  ResumeTest() throws IOException {
    ledger = Files.createTempFile(on.folder, "resume", ".ledger");
    works = on.folder.resolve(ledger.getFileName() + ".switch");
  }

  @BeforeAll
  static void push(SharedStack.Running running) throws Exception {
    on = running;
    api = running.api;
    api.push(Files.readString(Path.of("src/test/resources/resume.yaml")));
  }

  private String failed() throws Exception {
    String run = api.start("resumed", input());
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

    Api.Answer again = api.post("/runs/" + run + "/resume", Api.JSON.createObjectNode());
    assertThat(again.status()).as("%s", again).isEqualTo(202);
    assertThat(again.body().path("status").asText()).isEqualTo("resuming");
    assertThat(again.body().path("epoch").asInt()).isEqualTo(2);
    assertThat(again.body().hasNonNull("ended_at")).isFalse();
    assertThat(ended(run).path("status").asText()).isEqualTo("failed");
    assertThat(ledger()).hasSize(6).containsOnlyOnce("build", "lint");

    Files.createFile(works);
    BatonCommand.Result command = BatonCommand.run(on, "resume", run, "--wait");

    assertThat(command.code()).as("%s", command).isZero();
    JsonNode view = ended(run);
    assertThat(view.path("status").asText()).isEqualTo("completed");
    assertThat(view.path("epoch").asInt()).isEqualTo(3);
    assertThat(view.path("output").asText().strip()).isEqualTo("built clean whole");
    assertThat(ledger()).hasSize(7).containsOnlyOnce("build", "lint");
    Api.Answer completed = api.post("/runs/" + run + "/resume", Api.JSON.createObjectNode());
    assertThat(completed.status()).isEqualTo(409);
    assertThat(completed.body().toString()).contains("has completed");
  }

  @Test
  void shouldResumeAllThatHaveFailedAndSayWhatCannotGoOn() throws Exception {
    String run = failed();
    Api.Answer other = api.post("/workflows/other/resume/" + run, Api.JSON.createObjectNode());
    assertThat(other.status()).as("%s", other).isEqualTo(409);
    assertThat(other.body().toString()).contains("is of workflow 'resumed', not of 'other'");
    Files.createFile(works);

    BatonCommand.Result all = BatonCommand.run(on, "resume", "--failed", "--workflow", "resumed");

    assertThat(all.code()).as("%s", all).isZero();
    assertThat(all.out()).contains("run " + run + " goes on");
    assertThat(ended(run).path("status").asText()).isEqualTo("completed");
    String cancelled = api.start("resumed", input());
    api.post("/runs/" + cancelled + "/cancel", Api.JSON.createObjectNode());
    ended(cancelled);
    BatonCommand.Result refused = BatonCommand.run(on, "resume", cancelled);
    assertThat(refused.code()).as("%s", refused).isEqualTo(5);
    assertThat(refused.err()).contains("cancelled, which is for good");
    assertThat(BatonCommand.run(on, "resume").code()).isEqualTo(2);
  }

  private ObjectNode input() {
    return Api.JSON
        .createObjectNode()
        .put("ledger", ledger.toString())
        .put("switch", works.toString());
  }
}
