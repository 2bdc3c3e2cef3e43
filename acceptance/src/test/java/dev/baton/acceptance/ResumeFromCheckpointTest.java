/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Kills the runner at random moments of a long step that counts lines into a file and resumes from
 * its newest checkpoint, while checkpoints of it are requested all the time. More deaths in one
 * step than a run may have without progress: a checkpoint inside the step is progress.
 */
@UsesSharedStack
class ResumeFromCheckpointTest {
  private static final int LINES = 3_000;
  private static final Duration END = Duration.ofSeconds(180);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void push(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    on.api.push(
        """
        name: counts
        input: {type: object}
        steps:
          - {id: before, shell: 'echo 0 > lines'}
          - id: count
            resume: from_checkpoint
            env: {LEDGER: "${{ .input.ledger }}", GATE: "${{ .input.gate }}"}
            output: json
            shell: |
              n=$(tail -n 1 lines)
              echo "$BATON_EPOCH $n ${BATON_RESUMED_FROM:-start}" >> "$LEDGER"
              while [ "$n" -lt 3000 ]; do
                n=$((n + 1)); echo $n >> lines; test -e "$GATE" || sleep 0.05
              done
              seq 0 3000 | cmp - lines
              wc -l < lines
        """);
  }

  @Test
  void shouldNeverGoBehindTheNewestAcknowledgedCheckpoint() throws Exception {
    kill(5);
  }

  @Test
  @Tag("full")
  void shouldNeverGoBehindTheNewestAcknowledgedCheckpointInManyDeaths() throws Exception {
    kill(20);
  }

  private static void kill(int kills) throws Exception {
    Random random =
        SeededRandomFactory.random(
            "the runner dies " + kills + " times in a step that resumes from checkpoints");
    StepLedger ledger = StepLedger.in(on.folder);
    String run = on.api.start("counts", ledger.input());
    AtomicBoolean ended = new AtomicBoolean();
    Thread requests = Thread.ofVirtual().start(() -> requestCheckpoints(run, ended));
    try {
      for (int epoch = 1; epoch <= kills; epoch++) {
        awaitStart(ledger, epoch);
        if (random.nextBoolean()) {
          awaitCheckpoint(run, epoch);
        }
        TimeUnit.MILLISECONDS.sleep(random.nextLong(2_000));
        boolean whole = random.nextBoolean();
        RunnerProcessHandle.of(run).orElseThrow().kill(whole);
      }
      awaitStart(ledger, kills + 1);
    } finally {
      ended.set(true);
      requests.join();
    }
    ledger.open();

    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(end.path("output").asInt()).isEqualTo(LINES + 1);
    assertThat(ledger.lines()).hasSize(kills + 1);
    assertNeverBehind(run, ledger.lines());
  }

  private static void awaitStart(StepLedger ledger, int epoch) {
    Await.until(
        "epoch " + epoch + " has started the step", END, () -> ledger.lines().size() >= epoch);
  }

  private static void awaitCheckpoint(String run, int epoch) {
    String lane = run + "/" + epoch + "/";
    Await.until(
        "epoch " + epoch + " has saved a checkpoint",
        END,
        () ->
            on.api.events(run).stream()
                .filter(event -> event.path("type").asText().equals("checkpoint_saved"))
                .anyMatch(event -> event.path("id").asText().startsWith(lane)));
  }

  /**
   * Also while the run has no runner, when they are refused. A request whose runner dies is
   * answered after its timeout only, so the next ones do not wait for it.
   */
  private static void requestCheckpoints(String run, AtomicBoolean ended) {
    try (ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor()) {
      while (!ended.get()) {
        requests.execute(() -> requestCheckpoint(run));
        TimeUnit.MILLISECONDS.sleep(200);
      }
      requests.shutdownNow();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void requestCheckpoint(String run) {
    try {
      on.api.post("/runs/" + run + "/checkpoints", AcceptanceApiClient.JSON.createObjectNode());
    } catch (IOException e) {
      System.out.println("  a checkpoint of run " + run + " was not answered for: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Each epoch starts on the newest checkpoint that precedes its assignment in the log. */
  private static void assertNeverBehind(String run, List<String> starts) throws Exception {
    Map<Integer, String> newest = new HashMap<>();
    String saved = "start";
    String lane = run + "/1/";
    for (JsonNode event : on.api.events(run)) {
      JsonNode data = event.path("data");
      switch (event.path("type").asText()) {
        case "checkpoint_saved" -> {
          // What a killed runner wrote after its epoch was fenced does not count.
          if (event.path("id").asText().startsWith(lane)
              && data.path("resumes").path("step").asText().equals("count")) {
            saved = data.path("checkpoint").asText();
          }
        }
        case "runner_assigned" -> {
          newest.put(data.path("epoch").asInt(), saved);
          lane = run + "/" + data.path("epoch").asInt() + "/";
        }
        default -> {}
      }
    }
    System.out.println("  starts of run " + run + ": " + starts);
    List<Integer> counts = new ArrayList<>();
    for (String start : starts) {
      String[] words = start.split(" ");
      counts.add(Integer.parseInt(words[1]));
      assertThat(words[2]).as(start).isEqualTo(newest.get(Integer.parseInt(words[0])));
    }
    assertThat(counts).isSorted();
    assertThat(Set.copyOf(newest.values())).as("checkpoints to resume from").hasSizeGreaterThan(1);
    assertThat(starts.getLast()).doesNotEndWith("start");
  }
}
