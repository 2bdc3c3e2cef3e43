/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.milestone;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import dev.baton.milestone.MilestoneCommitter;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the milestone commands on real repositories, mostly without a server. */
class MilestoneCommandsTest {
  private static final String RUN = "01jd0000000000000000000001";
  private static final String OTHER = "01jd0000000000000000000002";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private Path repository;

  @SuppressWarnings("NullAway.Init")
  private MilestoneSidecar second;

  @BeforeEach
  void commit() throws Exception {
    repository = Files.createDirectories(folder.resolve("repository"));
    git("init", "--quiet", "--initial-branch=main");
    milestone(RUN, 0);
    second = milestone(RUN, 1);
  }

  private MilestoneSidecar milestone(String run, int index) throws Exception {
    Files.writeString(repository.resolve(run + index), "work");
    return new MilestoneCommitter(Map.of("PATH", System.getenv("PATH")), Clock.systemUTC())
        .make(
            repository,
            new MilestoneCommitter.Request(
                run, index, "Part " + index, "tier1", List.of("make test")),
            Duration.ofSeconds(30))
        .sidecar();
  }

  private void git(String... arguments) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("git").directory(repository.toFile());
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  private InProcessCli.Result run(String... arguments) {
    return InProcessCli.alone().run(with(arguments));
  }

  private String[] with(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--repo", repository.toString()));
    return all.toArray(String[]::new);
  }

  private static JsonNode json(InProcessCli.Result result) throws Exception {
    return Json.mapper().readTree(result.out());
  }

  @Test
  void shouldListMilestonesOfAllRunsOrOne() throws Exception {
    milestone(OTHER, 0);

    assertThat(run("milestones").out()).contains(RUN, OTHER, "Part 1", "ok", "tier1");
    InProcessCli.Result one = run("milestones", "000002", "-o", "json");
    assertThat(json(one).path("milestones")).hasSize(1);
    assertThat(json(one).path("milestones").get(0).path("run_id").asText()).isEqualTo(OTHER);
    assertThat(run("milestones", "0000").err()).isEmpty();
  }

  @Test
  void shouldPlanWithoutAServer() throws Exception {
    InProcessCli.Result plan = run("milestones", "plan", "000001", "-o", "json");

    assertThat(plan.code()).isZero();
    assertThat(json(plan).path("source").asText()).isEqualTo("sidecar");
    assertThat(json(plan).path("next_milestone").asInt()).isEqualTo(2);
    assertThat(json(plan).path("checkpoint").path("sha").asText()).isEqualTo(second.sha());
    assertThat(json(plan).has("drift")).isFalse();
    InProcessCli.Result drift = run("milestones", "plan", RUN, "--recorded", "5");
    assertThat(drift.code()).isZero();
    assertThat(drift.out())
        .contains("can resume after milestone 1 (Part 1)", "verified  make test")
        .contains("recorded milestone 5, checkpoint 1: the checkpoint takes precedence");
    assertThat(run("milestones", "plan", OTHER).out()).contains("no milestone", "source none");
    assertThat(run("milestones", "plan", RUN, "--recorded", "-2").code()).isEqualTo(2);
  }

  @Test
  void shouldHoldThePlanAgainstTheServer() throws Exception {
    try (StubServer server = new StubServer()) {
      server.on(
          "GET /runs/" + RUN + "/events?limit=1000&after=0",
          200,
          """
          {"events": [
            {"position": 1, "type": "step_completed", "data": {"step": "a"}},
            {"position": 2, "type": "step_completed", "data": {"step": "b", "milestone": 3}}]}
          """);

      InProcessCli.Result plan =
          InProcessCli.against(server)
              .run(with("milestones", "plan", RUN, "--with-server", "-o", "json"));

      assertThat(json(plan).path("drift").toString())
          .isEqualTo("{\"recorded_index\":3,\"checkpoint_index\":1}");
    }
  }

  @Test
  void shouldFailWhereWhatIsCheckedOutDoesNotHaveTheMilestones() throws Exception {
    git("-c", "user.name=a", "-c", "user.email=a@b", "checkout", "--quiet", "--orphan", "empty");
    git("rm", "--quiet", "-r", "--force", ".");
    git(
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "--quiet",
        "--allow-empty",
        "--message",
        "Empty");

    InProcessCli.Result plan = run("milestones", "plan", RUN);
    InProcessCli.Result doctor = run("milestones", "doctor", "-o", "json");

    assertThat(doctor.code()).isOne();
    assertThat(json(doctor).path("healthy").asBoolean()).isFalse();
    assertThat(json(doctor).path("milestones").get(0).path("location").asText())
        .isEqualTo("unreachable");
    assertThat(plan.code()).isOne();
    assertThat(plan.out()).contains("only once its commit is in the checkout", "main has it");
  }

  @Test
  void shouldExamineAndCollect() throws Exception {
    assertThat(run("milestones", "doctor").out()).contains("2 sidecars, no errors");
    Path sidecars = repository.resolve(".baton/checkpoints");
    Files.writeString(sidecars.resolve("f".repeat(40) + ".json"), "{");
    Files.writeString(sidecars.resolve("index.json"), "{}");
    Files.writeString(sidecars.resolve("x.json.tmp"), "{");

    InProcessCli.Result doctor = run("milestones", "doctor");
    assertThat(doctor.code()).isOne();
    assertThat(doctor.out())
        .contains(
            "malformed",
            "not JSON",
            "baton milestones gc",
            "leftover  x.json.tmp",
            "milestone 1 of run");

    InProcessCli.Result dry = run("milestones", "gc", "--run", "000001", "--dry-run", "-o", "json");
    assertThat(json(dry).path("removed")).hasSize(2);
    assertThat(sidecars.resolve(second.sha() + ".json")).exists();
    assertThat(run("milestones", "gc", "--run", OTHER).code()).isEqualTo(3);
    assertThat(run("milestones", "gc", "--run", RUN).out())
        .contains("2 sidecars of 1 runs removed");
    assertThat(sidecars.resolve(second.sha() + ".json")).doesNotExist();
    assertThat(sidecars.resolve("x.json.tmp")).doesNotExist();
  }

  @Test
  void shouldRemoveTheSidecarsOfRunsThatTheServerHasNoMore() throws Exception {
    milestone(OTHER, 0);
    milestone("20260104035601", 0);
    try (StubServer server = new StubServer()) {
      server.on("GET /runs/" + OTHER, 200, "{\"id\": \"" + OTHER + "\"}");

      InProcessCli.Result gc = InProcessCli.against(server).run(with("milestones", "gc"));

      assertThat(gc.code()).as(gc.err()).isZero();
      assertThat(gc.out())
          .contains("2 sidecars of 1 runs removed", "kept: sidecars of run 20260104035601");
    }
    assertThat(json(run("milestones", "-o", "json")).path("milestones")).hasSize(2);
    assertThat(run("milestones", "doctor").code()).isZero();
  }

  @Test
  void shouldRemoveNothingWhereTheServerDoesNotAnswer() throws Exception {
    InProcessCli.Result gc =
        new InProcessCli(Map.of("BATON_SERVER", "http://127.0.0.1:1", "HOME", "/nonexistent"), "")
            .run(with("milestones", "gc"));

    assertThat(gc.code()).isEqualTo(6);
    assertThat(json(run("milestones", "-o", "json")).path("milestones")).hasSize(2);
  }

  @Test
  void shouldSayThatThereIsNoRepository() throws Exception {
    Path none = Files.createDirectories(folder.resolve("none"));

    for (String[] command : new String[][] {{}, {"doctor"}, {"gc"}}) {
      List<String> args = new ArrayList<>(List.of("milestones"));
      args.addAll(List.of(command));
      args.addAll(List.of("--repo", none.toString()));
      InProcessCli.Result result = InProcessCli.alone().run(args.toArray(String[]::new));
      assertThat(result.code()).as("%s", args).isEqualTo(2);
      assertThat(result.err()).contains("not in a repository", "--repo DIR");
    }
    assertThat(
            InProcessCli.alone()
                .run("milestones", "doctor", "--repo", folder.resolve("nothing").toString())
                .err())
        .contains("not a directory");
  }
}
