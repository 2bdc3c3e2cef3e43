/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.launcher.LaunchException;
import dev.baton.launcher.LaunchSpec;
import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.process.ProcessLauncherSettings;
import dev.baton.launcher.process.ProcessRunnerLauncher;
import dev.baton.launcher.testkit.RecordingRunnerObserver;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.UnkillableLauncherFactory;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests a launcher that refuses starts, and one whose runners outlive their orchestrator. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
@EnabledOnOs(OS.LINUX)
class RefusedLaunchTest {
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int RUNS = 20;

  @Inject OrchestratorTestEnvironment bed;
  @Inject LaunchedRunnerRepository table;
  @Inject LaunchedRunnerWatcher watch;
  @Inject UnkillableLauncherFactory launchers;
  @Inject OrchestratorConfig config;
  @Inject Pool pool;

  private final List<String> runs = new ArrayList<>();

  private String create(String workflow) {
    bed.api()
        .post(
            "/workflows",
            "application/yaml",
            """
            name: %s
            runner: {isolation: isolated, launcher: lasting}
            steps: [{id: a, transform: '1'}]
            """
                .formatted(workflow));
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"workflow\":\"%s\"}".formatted(workflow));
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    String run = created.json().get("id").textValue();
    runs.add(run);
    return run;
  }

  @AfterEach
  void end() {
    launchers.lasting().accept();
    for (String run : runs) {
      bed.api().json("/runs/" + run + "/cancel", "{}");
      watch
          .watched()
          .forEach(
              (runner, known) -> {
                if (runner.startsWith(run)) {
                  known.launcher().kill(runner);
                }
              });
    }
  }

  private static void await(String what, BooleanSupplier wanted) {
    long end = System.nanoTime() + Duration.ofSeconds(90).toNanos();
    while (!wanted.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }

  @Test
  void shouldShowRunsAsQueuedWhileTheirLauncherHasNoRoom() {
    launchers
        .lasting()
        .refuse(() -> new LaunchException.NoRoomException("the quota of 3 runners is used up"));
    for (int i = 0; i < RUNS; i++) {
      create("refused-room");
    }
    for (String run : runs) {
      JsonNode queued =
          bed.api()
              .await(run, shown -> shown.at("/queued/reason").asText().equals("launcher_no_room"))
              .get("queued");
      assertThat(queued.get("detail").asText()).isEqualTo("the quota of 3 runners is used up");
      assertThat(queued.get("launcher").asText()).isEqualTo("lasting");
      assertThat(queued.get("pool").asText()).isEqualTo("default");
    }
    int first = launchers.lasting().refused();
    assertThat(first).as("starts before the first refusal is known").isLessThanOrEqualTo(RUNS + 3);

    await("a retry", () -> launchers.lasting().refused() > first);
    await("another", () -> launchers.lasting().refused() > first + 1);
    assertThat(launchers.lasting().refused())
        .as("starts that were tried for %d waiting runs", RUNS)
        .isLessThanOrEqualTo(first + 3);
    for (String run : runs) {
      JsonNode shown = bed.api().get("/runs/" + run).json();
      assertThat(shown.get("epoch").asInt()).isOne();
      assertThat(table.find(run + "-1")).isEmpty();
    }

    launchers.lasting().accept();

    for (String run : runs) {
      bed.api().await(run, shown -> shown.at("/runner/id").asText().equals(run + "-1"));
    }
  }

  @Test
  void shouldShowARunWhoseRunnerIsRejected() {
    launchers
        .lasting()
        .refuse(() -> new LaunchException.RejectedException("image 'nowhere:1' does not exist"));
    String run = create("refused-image");

    JsonNode queued =
        bed.api()
            .await(run, shown -> shown.at("/queued/reason").asText().equals("launcher_rejected"))
            .get("queued");

    assertThat(queued.get("detail").asText()).isEqualTo("image 'nowhere:1' does not exist");
    launchers.lasting().accept();
    bed.api().await(run, shown -> shown.at("/runner/id").asText().equals(run + "-1"));
  }

  @Test
  void shouldShowARunWhoseLauncherDoesNotAnswerAndRepeatItsStartThere() {
    String away = "Docker at unix:///none does not answer; start it";
    launchers
        .lasting()
        .refuse(() -> new LaunchException.UnavailableException(away, new IllegalStateException()));
    String run = create("refused-away");

    JsonNode queued =
        bed.api()
            .await(run, shown -> shown.at("/queued/reason").asText().equals("launcher_unavailable"))
            .get("queued");

    assertThat(queued.get("detail").asText()).isEqualTo(away);
    assertThat(queued.get("position").asInt()).isOne();
    assertThat(table.find(run + "-1")).as("the assignment stays").isPresent();
    int before = launchers.lasting().refused();
    await("a retry", () -> launchers.lasting().refused() > before);
    launchers.lasting().accept();
    bed.api().await(run, shown -> !shown.has("queued"));
    await("the start", () -> watch.watched().containsKey(run + "-1"));
    assertThat(bed.api().get("/runs/" + run).json().get("epoch").asInt()).isOne();
  }

  @Test
  void shouldAdoptTheRunnerOfADeadReplicaAndReportItsExit() throws Exception {
    launchers.lasting().refuse(() -> new LaunchException.NoRoomException("wait"));
    String run = create("dead-replica");
    bed.api().await(run, shown -> !shown.at("/queued/reason").asText().isEmpty());
    Path data = config.data().toAbsolutePath();
    try (ProcessRunnerLauncher dead =
        new ProcessRunnerLauncher(
            new ProcessLauncherSettings(
                List.of("/bin/sleep", "600"), data.resolve("work"), data.resolve("runners")))) {
      dead.observe(new RecordingRunnerObserver(0));
      String name = run + "-1";
      LaunchedRunner runner = dead.start(new LaunchSpec(name, run, 1, "default", Map.of()));
      dead.close();
      execute(
          "UPDATE orchestrator.run SET runner_id = $2, assigned_at = now() WHERE id = $1",
          run,
          name);
      execute(
          """
          INSERT INTO orchestrator.runner (id, run, handle, mode, launcher, instance, host, epoch, state, phase, log_path)
          VALUES ($2, $1, $3, 'isolated', 'lasting', 'dead-replica', 'elsewhere', 1, 'running', 'running', '')""",
          run,
          name,
          Objects.requireNonNull(runner.handle()));

      await("the adoption of " + name, () -> watch.watched().containsKey(name));

      assertThat(table.find(name).orElseThrow().instance()).isEqualTo(config.instanceId());
      assertThat(bed.api().get("/runs/" + run).json().get("epoch").asInt()).isOne();
      launchers.lasting().accept();
      ProcessHandle.of(Objects.requireNonNull(runner.pid())).orElseThrow().destroyForcibly();
      bed.api().await(run, shown -> shown.get("epoch").asInt() == 2);
    }
  }

  private void execute(String sql, String... values) {
    pool.preparedQuery(sql).execute(Tuple.from(List.of((Object[]) values))).await().atMost(SQL);
  }
}
