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
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the archive of runs in a git repository: another installation can continue archived runs.
 */
class ArchiveTest {
  private static final Duration END = Duration.ofSeconds(90);
  private static final String REFS = "refs/baton/runs/*:refs/baton/runs/*";

  @TempDir private Path folder;

  private static String git(Path in, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-C", in.toString()));
    command.addAll(List.of(words));
    Process git = new ProcessBuilder(command).redirectErrorStream(true).start();
    git.getOutputStream().close();
    String out = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(git.exitValue()).as("%s: %s", command, out).isZero();
    return out.strip();
  }

  private static String text(String resource) throws IOException {
    return Files.readString(Path.of("src/test/resources", resource));
  }

  /** Waits until the archive has this status. */
  private static void awaitArchived(AcceptanceApiClient api, String run, String status) {
    Await.until(
        "run " + run + " is archived as " + status,
        END,
        () -> {
          for (JsonNode archived : api.get("/archive").body().path("runs")) {
            if (archived.path("run").asText().equals(run)
                && archived.path("status").asText().equals(status)) {
              return true;
            }
          }
          return false;
        });
  }

  @Test
  void shouldResumeRunsFromACloneOnAnotherInstallation() throws Exception {
    Path ledger = Files.createFile(folder.resolve("ledger"));
    Path gate = folder.resolve("gate");
    Path works = folder.resolve("works");
    Path archive = folder.resolve("archive.git");
    Path pushed = folder.resolve("pushed.git");
    ObjectNode input =
        AcceptanceApiClient.JSON
            .createObjectNode()
            .put("ledger", ledger.toString())
            .put("gate", gate.toString())
            .put("switch", works.toString());
    String failed;
    String waiting;
    String completed;
    List<JsonNode> events;
    try (SharedStackExtension.RunningStack on = ArchivedStackStarter.start(archive, Map.of())) {
      on.api.push(text("resume.yaml"));
      on.api.push(text("asked.yaml"));
      failed = on.api.start("resumed", input);
      waiting = on.api.start("asked", input);
      completed = on.api.start("asked", input);
      on.api.awaitStatus(completed, "waiting", END);
      assertThat(on.api.approve(completed)).isTrue();
      // A failing branch ends its siblings: only a step that has completed is not run again.
      on.api.awaitCompletion(failed, "lint", END);
      Files.createFile(gate);
      awaitArchived(on.api, failed, "failed");
      awaitArchived(on.api, waiting, "waiting");
      awaitArchived(on.api, completed, "completed");
      events = on.api.events(completed);
      git(folder, "init", "-q", "--bare", pushed.toString());
      git(archive, "push", "-q", pushed.toString(), REFS);
    }
    git(pushed, "fsck", "--strict");
    Path clone = folder.resolve("clone.git");
    git(folder, "clone", "-q", "--mirror", pushed.toString(), clone.toString());
    List<String> before = Files.readAllLines(ledger);
    assertThat(before)
        .containsExactlyInAnyOrder("build", "lint", "fetch", "fetch", "draft", "draft");

    try (SharedStackExtension.RunningStack on = ArchivedStackStarter.start(clone, Map.of())) {
      on.api.awaitStatus(failed, "failed", END);
      on.api.awaitStatus(waiting, "waiting", END);
      on.api.awaitStatus(completed, "completed", END);

      BatonCliInvoker.Result listed = BatonCliInvoker.run(on, "archive", "-o", "json");
      assertThat(listed.code()).as("%s", listed).isZero();
      JsonNode runs = AcceptanceApiClient.JSON.readTree(listed.out());
      assertThat(runs.path("source").asText()).isEqualTo("git");
      assertThat(runs.path("runs").findValuesAsText("run"))
          .containsExactlyInAnyOrder(failed, waiting, completed);
      assertThat(BatonCliInvoker.run(on, "history").out()).contains("resumed").contains("asked");
      assertThat(on.api.events(completed))
          .extracting(event -> event.path("id").asText(), event -> event.path("data"))
          .isEqualTo(
              events.stream()
                  .map(
                      event ->
                          org.assertj.core.groups.Tuple.tuple(
                              event.path("id").asText(), event.path("data")))
                  .toList());

      Files.createFile(works);
      assertThat(BatonCliInvoker.run(on, "resume", failed).code()).isZero();
      on.api.awaitStatus(failed, "completed", END);
      assertThat(on.api.run(failed).path("output").asText().strip()).isEqualTo("built clean whole");

      BatonCliInvoker.Result goesOn = BatonCliInvoker.run(on, "resume", waiting);
      assertThat(goesOn.code()).as("%s", goesOn).isZero();
      Await.until("an approval is requested again", END, () -> on.api.approve(waiting));
      on.api.awaitStatus(waiting, "completed", END);
      assertThat(on.api.run(waiting).path("output").asText().strip()).isEqualTo("drafted");

      // Completed steps were not run again here.
      assertThat(Files.readAllLines(ledger)).hasSize(before.size() + 1).contains("fetch");
      assertThat(Files.readAllLines(ledger)).containsOnlyOnce("build", "lint");

      assertThat(on.api.delete("/runs/" + completed).status()).isEqualTo(200);
      assertThat(git(clone, "for-each-ref", "refs/baton/runs/" + completed)).isEmpty();
      awaitArchived(on.api, failed, "completed");
    }
  }

  @Test
  @Tag("full")
  void shouldArchiveAfterTheStoreWasKilledBeforeItHad() throws Exception {
    Path ledger = Files.createFile(folder.resolve("ledger"));
    Path archive = folder.resolve("archive.git");
    // The archive does not exist yet, and cannot be created.
    Files.writeString(archive, "no repository");
    try (SharedStackExtension.RunningStack on = ArchivedStackStarter.start(archive, Map.of())) {
      on.api.push(text("asked.yaml"));
      String run =
          on.api.start(
              "asked",
              AcceptanceApiClient.JSON.createObjectNode().put("ledger", ledger.toString()));
      on.api.awaitStatus(run, "waiting", END);
      assertThat(on.api.approve(run)).isTrue();
      on.api.awaitStatus(run, "completed", END);
      assertThat(on.api.get("/archive").status()).isEqualTo(503);

      on.stack.kill(StackComponent.STORE);
      Files.delete(archive);

      awaitArchived(on.api, run, "completed");
      assertThat(git(archive, "show", "refs/baton/runs/" + run + ":output.json"))
          .contains("drafted");
      git(archive, "fsck", "--strict");
    }
  }
}
