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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests the concurrency limit of a workflow, with the orchestrator killed while runs are queued.
 */
@UsesSharedStack
class LimitTest {
  private static final int LIMIT = 2;
  private static final int RUNS = 24;
  private static final int KILLS = 3;
  private static final Duration END = Duration.ofSeconds(120);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void push(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    on.api.push(Files.readString(Path.of("src/test/resources/limited.yaml")));
  }

  /** A run got a slot, or released it. */
  private record Change(Instant at, int places) {}

  @Test
  void shouldKeepTheLimitAndForgetNoRunWhenTheOrchestratorIsKilledWhileRunsQueue()
      throws Exception {
    Random random = SeededRandomFactory.random("the orchestrator dies while runs queue");
    // The first call of the command fills its caches, which takes longer than the runs queue.
    BatonCliInvoker.run(on, "status", "--workflow", "limited");
    List<String> runs = new ArrayList<>();
    for (int n = 0; n < RUNS; n++) {
      runs.add(start(n, n % 3));
    }
    JsonNode last = on.api.run(runs.getLast());
    assertThat(last.at("/queued/limit").asInt()).isEqualTo(LIMIT);
    assertThat(last.at("/queued/position").asInt()).isPositive();
    BatonCliInvoker.Result shown = BatonCliInvoker.run(on, "status", "--workflow", "limited");
    assertThat(shown.out()).contains("pending (queued ");

    for (int kill = 0; kill < KILLS; kill++) {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(400)); // A random moment in the run.
      on.stack.kill(StackComponent.ORCHESTRATOR);
      on.stack.restart(StackComponent.ORCHESTRATOR);
    }

    for (String run : runs) {
      Await.until("run " + run + " has ended", END, () -> on.api.run(run).hasNonNull("ended_at"));
      assertThat(on.api.run(run).path("status").asText()).isEqualTo("completed");
    }
    assertThat(mostAtOnce(on.api, runs)).isEqualTo(LIMIT);
  }

  @Test
  @Tag("full")
  void shouldCancelAndDeleteWhatAFilterMeans() throws Exception {
    BatonCliInvoker.run(on, "workflows", "limit", "limited", "0");
    try {
      for (int n = 0; n < 3; n++) {
        BatonCliInvoker.Result started =
            BatonCliInvoker.run(
                on, "run", "limited", "-i", "n=1", "--label", "bulk=yes", "--priority", "3");
        assertThat(started.code()).as("%s", started).isZero();
      }
      BatonCliInvoker.Result refused = BatonCliInvoker.run(on, "cancel", "--label", "bulk=yes");
      assertThat(refused.code()).as("%s", refused).isEqualTo(2);
      assertThat(refused.err()).contains("--yes");
      BatonCliInvoker.Result cancelled =
          BatonCliInvoker.run(on, "cancel", "--label", "bulk=yes", "--since", "1h", "--yes");
      assertThat(cancelled.code()).as("%s", cancelled).isZero();
      assertThat(cancelled.out()).contains("3 cancelled, 0 failed");
    } finally {
      BatonCliInvoker.run(on, "workflows", "limit", "limited", "--clear");
    }
    Await.until(
        "they are cancelled",
        END,
        () -> on.api.get("/runs?label=bulk=yes&status=cancelled").body().path("runs").size() == 3);
    BatonCliInvoker.Result dry =
        BatonCliInvoker.run(on, "delete", "--label", "bulk=yes", "--dry-run");
    assertThat(dry.out()).contains("3 runs to delete");
    BatonCliInvoker.Result deleted =
        BatonCliInvoker.run(on, "delete", "--label", "bulk=yes", "--yes", "-o", "json");
    assertThat(deleted.code()).as("%s", deleted).isZero();
    assertThat(on.api.get("/runs?label=bulk=yes").body().path("runs")).isEmpty();
  }

  private static String start(int n, int priority) throws IOException, InterruptedException {
    ObjectNode body = AcceptanceApiClient.JSON.createObjectNode().put("workflow", "limited");
    body.put("priority", priority);
    body.putObject("input").put("n", n);
    AcceptanceApiClient.Answer answer = on.api.post("/runs", body);
    assertThat(answer.status()).as("%s", answer).isEqualTo(201);
    return answer.body().path("id").asText();
  }

  /** Computes the maximum from the traces: a run counts from its first assignment to its end. */
  static int mostAtOnce(AcceptanceApiClient api, List<String> runs) throws Exception {
    List<Change> changes = new ArrayList<>();
    for (String run : runs) {
      List<JsonNode> events = api.events(run);
      Set<String> ends = new TreeSet<>();
      for (JsonNode event : events) {
        Instant at = Instant.parse(event.path("time").asText());
        switch (event.path("type").asText()) {
          case "runner_assigned" -> {
            if (event.at("/data/epoch").asInt() == 1) {
              changes.add(new Change(at, 1));
            }
          }
          case "run_completed" -> {
            ends.add(event.path("id").asText());
            changes.add(new Change(at, -1));
          }
          default -> {}
        }
      }
      assertThat(ends).as("run %s", run).hasSize(1);
    }
    changes.sort(Comparator.comparing(Change::at).thenComparing(Change::places));
    int now = 0;
    int most = 0;
    for (Change change : changes) {
      now += change.places();
      most = Math.max(most, now);
    }
    return most;
  }
}
