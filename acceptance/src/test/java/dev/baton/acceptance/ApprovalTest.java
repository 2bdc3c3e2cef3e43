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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that a run continues with exactly the checkpoint that a person approved, after a change of
 * its runner.
 */
@UsesSharedStack
class ApprovalTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void push(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    on.api.push(Files.readString(Path.of("src/test/resources/approved.yaml")));
  }

  @Test
  void shouldGoOnWithTheApprovedFilesAfterTheRunnerThatAskedWasKilled() throws Exception {
    String run = on.api.start("approved", AcceptanceApiClient.JSON.createObjectNode());
    JsonNode asked = waiting(run);
    String id = asked.path("id").asText();
    String cut = asked.path("checkpoint").asText();
    assertThat(cut).startsWith("sha256:");

    ProcessHandle runner =
        ProcessHandle.of(on.api.run(run).at("/runner/pid").asLong()).orElseThrow();
    runner.destroyForcibly();
    Await.until(
        "another runner waits",
        SOON,
        () ->
            on.api.run(run).path("epoch").asInt() == 2
                && on.api.run(run).path("status").asText().equals("waiting"));

    assertThat(waiting(run).path("id").asText()).isEqualTo(id);
    ObjectNode other =
        AcceptanceApiClient.JSON.createObjectNode().put("checkpoint", "sha256:" + "0".repeat(64));
    other.putObject("answer").put("approved", true);
    AcceptanceApiClient.Answer refused = on.api.post("/approvals/" + id, other);
    assertThat(refused.status()).as("%s", refused).isEqualTo(409);
    assertThat(refused.body().path("detail").asText()).contains("is for checkpoint '" + cut + "'");

    BatonCliInvoker.Result listed = BatonCliInvoker.run(on, "approvals", "--run", run);
    assertThat(listed.out()).contains(id, "Publish");
    BatonCliInvoker.Result approved =
        BatonCliInvoker.run(on, "approve", id, "--by", "ann", "--checkpoint", cut);
    assertThat(approved.code()).as("%s", approved).isZero();
    Await.until("the run has ended", SOON, () -> on.api.run(run).hasNonNull("ended_at"));

    JsonNode answered = AcceptanceApiClient.first(on.api.events(run), "approval_answered");
    assertThat(answered).isNotNull();
    assertThat(answered.at("/data/cut").asText()).isEqualTo(cut);
    assertThat(answered.at("/data/by").asText()).startsWith("admin key ").endsWith(" (ann)");
    JsonNode view = on.api.run(run);
    assertThat(view.path("status").asText()).isEqualTo("completed");
    assertThat(asked.path("prompt").asText()).contains(view.path("output").asText().strip());
  }

  private static JsonNode waiting(String run) {
    Await.until(
        "run " + run + " waits for approval", SOON, () -> page(run).path("approvals").size() == 1);
    try {
      return page(run).path("approvals").get(0);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static JsonNode page(String run) throws Exception {
    return on.api.get("/approvals?status=waiting&run=" + run).body();
  }
}
