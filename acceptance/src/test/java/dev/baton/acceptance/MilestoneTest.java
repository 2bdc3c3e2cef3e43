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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Creates milestones in runs whose runners are killed: each is committed once, and found by the
 * CLI.
 */
@UsesSharedStack
class MilestoneTest {
  private static final Duration END = Duration.ofSeconds(90);

  /** Large enough that its upload can be interrupted by a kill. */
  private static final int LARGE = 96 << 20;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  private final Path ledger;
  private final Path passes;

  MilestoneTest() throws IOException {
    ledger = Files.createTempFile(on.folder, "milestones", ".ledger");
    passes = on.folder.resolve(ledger.getFileName() + ".switch");
  }

  @BeforeAll
  static void push(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    api = running.api;
    api.push(Files.readString(Path.of("src/test/resources/milestones.yaml")));
  }

  private ObjectNode input(int bytes) {
    return AcceptanceApiClient.JSON
        .createObjectNode()
        .put("ledger", ledger.toString())
        .put("switch", passes.toString())
        .put("bytes", bytes);
  }

  private static JsonNode completed(String run) throws Exception {
    Await.until("run " + run + " has ended", END, () -> api.run(run).hasNonNull("ended_at"));
    JsonNode view = api.run(run);
    assertThat(view.path("status").asText()).as("%s", view).isEqualTo("completed");
    return view;
  }

  private List<String> ledger() throws IOException {
    return Files.readAllLines(ledger);
  }

  private static List<JsonNode> data(String run, String type) throws Exception {
    return api.events(run).stream()
        .filter(event -> event.path("type").asText().equals(type))
        .map(event -> event.path("data"))
        .toList();
  }

  /** Returns the data of {@code checkpoint_saved} for each milestone. */
  private static List<JsonNode> milestones(String run) throws Exception {
    return data(run, "checkpoint_saved").stream()
        .filter(saved -> saved.path("trigger").asText().equals("milestone"))
        .toList();
  }

  private static String git(Path folder, String... arguments) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("git").directory(folder.toFile());
    builder.command().addAll(List.of(arguments));
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new AssertionError("git " + List.of(arguments) + ": " + said);
    }
    return said.strip();
  }

  private static Set<String> sidecars(Path workspace) throws IOException {
    Path folder = workspace.resolve(".baton/checkpoints");
    if (!Files.isDirectory(folder)) {
      return Set.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".json") && !name.equals("index.json"))
          .map(name -> name.substring(0, name.length() - 5))
          .collect(Collectors.toSet());
    }
  }

  /** Kills the run's runner as soon as its workspace has a new sidecar. */
  private static String killAtTheNextSidecar(String run, Set<String> known) throws Exception {
    RunnerProcessHandle runner = RunnerProcessHandle.of(run).orElseThrow();
    Path workspace = runner.files().resolve("workspace");
    long end = System.nanoTime() + END.toNanos();
    while (System.nanoTime() < end) {
      List<String> more = new ArrayList<>(sidecars(workspace));
      more.removeAll(known);
      if (!more.isEmpty()) {
        runner.kill(true);
        return more.getFirst();
      }
      LockSupport.parkNanos(1_000_000);
    }
    throw new AssertionError("no milestone in " + workspace);
  }

  private static Path restored(String checkpoint, String name) throws Exception {
    Path to = on.folder.resolve(name);
    BatonCliInvoker.Result restore =
        BatonCliInvoker.run(on, "checkpoint", "restore", checkpoint, "--to", to.toString());
    assertThat(restore.code()).as("%s", restore).isZero();
    return to;
  }

  @Test
  void shouldCommitEachMilestoneOnceThoughItsRunnerIsKilledWhileVerifyingAndAfterTheCommit()
      throws Exception {
    String run = api.start("milestones", input(LARGE));
    Await.until("the first is verified", END, () -> ledger().contains("verify 1"));
    RunnerProcessHandle.of(run).orElseThrow().kill(true);
    Files.createFile(passes);
    Await.until("the second begins", END, () -> ledger().contains("second 2"));
    Set<String> first =
        sidecars(RunnerProcessHandle.of(run).orElseThrow().files().resolve("workspace"));
    assertThat(first).hasSize(1);
    String lost = killAtTheNextSidecar(run, first);

    JsonNode view = completed(run);

    assertThat(view.path("epoch").asInt()).isEqualTo(3);
    assertThat(ledger())
        .containsExactly(
            "first 1", "verify 1", "first 2", "verify 2", "second 2", "second 3", "last 3");
    String message = "chore(baton): checkpoint " + run + " milestone ";
    assertThat(view.path("output").toString())
        .isEqualTo("[\"%s1\",\"%s0\"]".formatted(message, message));
    List<JsonNode> told = milestones(run);
    assertThat(told)
        .extracting(saved -> saved.path("milestone").path("index").asInt())
        .containsExactly(0, 1);
    assertThat(data(run, "step_completed"))
        .extracting(done -> done.path("milestone").asInt(-1))
        .containsExactly(-1, 0, 1, -1);

    String last = data(run, "step_completed").getLast().path("cut").path("checkpoint").asText();
    Path files = restored(last, "milestones-" + run);
    List<String> commits = git(files, "log", "--format=%H", "--reverse").lines().toList();
    assertThat(told)
        .extracting(saved -> saved.path("milestone").path("commit").asText())
        .containsExactlyElementsOf(commits);
    assertThat(sidecars(files)).isEqualTo(Set.copyOf(commits));
    assertThat(first).containsExactly(commits.getFirst());
    assertThat(lost).isNotEqualTo(commits.getLast());
    git(files, "fsck", "--strict");
    assertThat(git(files, "status", "--porcelain")).isEmpty();
    assertThat(git(files, "cat-file", "--batch-all-objects", "--batch-check").lines())
        .as("no trace is left of the interrupted commit")
        .noneMatch(line -> line.startsWith(lost));
    assertThat(on.folder.resolve("milestones-" + run)).isDirectory();
    shouldBeFoundByCommand(run, files, commits);
    shouldGoOnCountingInAFork(run, told.getFirst().path("checkpoint").asText());
    shouldBeCollectedOnceTheRunIsGone(run, files);
  }

  private static void shouldBeFoundByCommand(String run, Path files, List<String> commits)
      throws Exception {
    BatonCliInvoker.Result list = BatonCliInvoker.run(on, "checkpoint", "list", run);
    assertThat(list.out().lines().filter(line -> line.contains("milestone"))).hasSize(2);
    BatonCliInvoker.Result plan =
        BatonCliInvoker.run(
            on,
            "milestones",
            "plan",
            run,
            "--repo",
            files.toString(),
            "--with-server",
            "-o",
            "json");
    assertThat(plan.code()).as("%s", plan).isZero();
    JsonNode planned = AcceptanceApiClient.JSON.readTree(plan.out());
    assertThat(planned.path("source").asText()).isEqualTo("sidecar");
    assertThat(planned.path("next_milestone").asInt()).isEqualTo(2);
    assertThat(planned.path("checkpoint").path("commit").asText()).isEqualTo(commits.getLast());
    assertThat(planned.path("checkpoint").path("tier").asText()).isEqualTo("tier2");
    assertThat(planned.has("drift")).isFalse();
    BatonCliInvoker.Result doctor =
        BatonCliInvoker.run(on, "milestones", "doctor", "--repo", files.toString());
    assertThat(doctor.code()).as("%s", doctor).isZero();
  }

  private void shouldGoOnCountingInAFork(String run, String checkpoint) throws Exception {
    ObjectNode body = AcceptanceApiClient.JSON.createObjectNode().put("checkpoint", checkpoint);
    body.set("input", input(1_000));
    AcceptanceApiClient.Answer answer = api.post("/runs/" + run + "/fork", body);
    assertThat(answer.status()).as("%s", answer).isEqualTo(201);
    String fork = answer.body().path("id").asText();

    JsonNode view = completed(fork);

    assertThat(ledger()).contains("second 1").doesNotContain("verify 3");
    assertThat(milestones(fork))
        .extracting(saved -> saved.path("milestone").path("index").asInt())
        .containsExactly(1);
    assertThat(view.path("output").get(0).asText())
        .isEqualTo("chore(baton): checkpoint " + fork + " milestone 1");
    assertThat(view.path("output").get(1).asText()).contains(run + " milestone 0");
  }

  private static void shouldBeCollectedOnceTheRunIsGone(String run, Path files) throws Exception {
    BatonCliInvoker.Result kept =
        BatonCliInvoker.run(on, "milestones", "gc", "--repo", files.toString());
    assertThat(kept.out()).as("%s", kept).contains("0 sidecars of 0 runs removed");
    assertThat(api.delete("/runs/" + run + "?now=true").status()).isEqualTo(200);

    BatonCliInvoker.Result dry =
        BatonCliInvoker.run(on, "milestones", "gc", "--repo", files.toString(), "--dry-run");
    assertThat(dry.out()).as("%s", dry).contains("2 sidecars of 1 runs would be removed");
    assertThat(sidecars(files)).hasSize(2);
    BatonCliInvoker.Result gone =
        BatonCliInvoker.run(on, "milestones", "gc", "--repo", files.toString());

    assertThat(gone.code()).as("%s", gone).isZero();
    assertThat(sidecars(files)).isEmpty();
    BatonCliInvoker.Result plan =
        BatonCliInvoker.run(
            on, "milestones", "plan", run, "--repo", files.toString(), "-o", "json");
    assertThat(AcceptanceApiClient.JSON.readTree(plan.out()).path("source").asText())
        .isEqualTo("git_log_run_specific");
  }
}
