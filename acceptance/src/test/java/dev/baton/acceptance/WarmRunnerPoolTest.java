/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.StackComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests idle runners that execute one isolated run each. */
@Tag("full")
class WarmRunnerPoolTest {
  private static final Duration END = Duration.ofSeconds(90);

  /** How often a runner is killed; measurements on a quiet machine need more. */
  private static final int KILLS = Integer.getInteger("baton.warm.kills", 2);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    on =
        SharedStackExtension.RunningStack.of(
            stack ->
                stack.environment(StackComponent.ORCHESTRATOR, "BATON_LAUNCHER_WARM_SIZE", "1"));
    on.api.push(
        """
        name: warm
        input: {type: object}
        steps:
          - {id: first, shell: 'echo "first $BATON_EPOCH" >> "$LEDGER"; echo one > file', env: {LEDGER: "${{ .input.ledger }}"}}
          - id: held
            shell: 'echo "held $BATON_EPOCH" >> "$LEDGER"; until test -e "$GATE"; do sleep 0.05; done; cat file'
            env: {LEDGER: "${{ .input.ledger }}", GATE: "${{ .input.gate }}"}
            output: text
        """);
    on.api.push(
        """
        name: leaves
        input: {type: object}
        steps:
          - {id: first, shell: 'echo "first $BATON_EPOCH" >> "$LEDGER"; echo one > file', env: {LEDGER: "${{ .input.ledger }}"}}
          - {id: nap, wait: 20s}
          - {id: last, shell: 'echo "last $BATON_EPOCH" >> "$LEDGER"; cat file', output: text, env: {LEDGER: "${{ .input.ledger }}"}}
        """);
  }

  @AfterAll
  static void stop() throws Exception {
    on.close();
  }

  private record Held(String run, StepLedger ledger) {}

  private static Held held() throws Exception {
    return start("warm");
  }

  private static Held start(String workflow) throws Exception {
    StepLedger ledger = StepLedger.in(on.folder);
    return new Held(on.api.start(workflow, ledger.input()), ledger);
  }

  private static void awaitHeld(Held held, int epoch) {
    held.ledger.await("held " + epoch, END);
  }

  private static List<JsonNode> runners() throws Exception {
    List<JsonNode> all = new ArrayList<>();
    on.api.get("/runners").body().path("runners").forEach(all::add);
    return all;
  }

  /** Returns an attached runner that waits for a run. */
  private static Optional<JsonNode> idle() throws Exception {
    return runners().stream()
        .filter(r -> r.path("mode").asText().equals("warm") && !r.hasNonNull("run"))
        .filter(r -> r.path("attached").asBoolean())
        .findFirst();
  }

  private static String awaitIdle() {
    List<String> found = new ArrayList<>();
    Await.until(
        "a warm runner is attached",
        END,
        () -> {
          idle().ifPresent(runner -> found.add(runner.path("id").asText()));
          return !found.isEmpty();
        });
    return found.getLast();
  }

  private static JsonNode carrier(String run, int epoch) throws Exception {
    return runners().stream()
        .filter(r -> r.path("run").asText().equals(run) && r.path("epoch").asInt() == epoch)
        .findFirst()
        .orElseThrow();
  }

  private static void awaitEnd(String run) {
    Await.until(
        "run " + run + " completes",
        END,
        () -> on.api.run(run).path("status").asText().equals("completed"));
  }

  private static void kill(JsonNode runner) {
    ProcessHandle.of(runner.path("pid").asLong()).orElseThrow().destroyForcibly();
  }

  @Test
  void shouldGoOnInAWarmRunnerEachTimeOneIsKilledAndGiveNoneASecondRun() throws Exception {
    awaitIdle();
    Held held = held();
    List<String> carriers = new ArrayList<>();
    List<Long> gaps = new ArrayList<>();
    for (int epoch = 1; epoch <= KILLS; epoch++) {
      awaitHeld(held, epoch);
      carriers.add(carrier(held.run, epoch).path("id").asText());
      String next = awaitIdle();
      Instant killed = Instant.now();
      kill(carrier(held.run, epoch));
      awaitHeld(held, epoch + 1);
      gaps.add(Duration.between(killed, Instant.now()).toMillis());
      assertThat(carrier(held.run, epoch + 1).path("id").asText()).isEqualTo(next);
    }
    System.out.println("SIGKILL to the next step's effect, ms: " + gaps);
    held.ledger.open();
    awaitEnd(held.run);

    assertThat(carriers).allMatch(id -> id.startsWith("warm-")).doesNotHaveDuplicates();
    assertThat(on.api.run(held.run).path("output").asText().strip()).isEqualTo("one");
    assertThat(held.ledger.lines()).containsOnlyOnce("first 1");
    assertThat(held.ledger.lines()).noneMatch(line -> line.equals("first 2"));
    Await.until(
        "the last one ends with its run",
        END,
        () ->
            carrier(held.run, KILLS + 1).path("state").asText().equals("exited")
                && carrier(held.run, KILLS + 1).path("exit_code").asInt(-1) == 0);
  }

  @Test
  void shouldStartAProcessWhereNoneIsIdleAndReplaceAnIdleOneThatDies() throws Exception {
    String first = awaitIdle();
    ProcessHandle idle =
        ProcessHandle.of(
                runners().stream()
                    .filter(r -> r.path("id").asText().equals(first))
                    .findFirst()
                    .orElseThrow()
                    .path("pid")
                    .asLong())
            .orElseThrow();

    idle.destroyForcibly();
    Await.until("it is gone", END, () -> !idle.isAlive());
    Held cold = held();

    awaitHeld(cold, 1);
    String second = awaitIdle();
    assertThat(second).isNotEqualTo(first);
    cold.ledger.open();
    awaitEnd(cold.run);
    assertThat(carrier(cold.run, 1).path("id").asText()).isNotEqualTo(first);
  }

  @Test
  void shouldKeepItsWarmRunnersWhenTheOrchestratorIsKilled() throws Exception {
    Held held = held();
    awaitHeld(held, 1);
    String idle = awaitIdle();

    JsonNode first = carrier(held.run, 1);
    on.stack.kill(StackComponent.ORCHESTRATOR);
    kill(first);
    on.stack.restart(StackComponent.ORCHESTRATOR);

    awaitHeld(held, 2);
    held.ledger.open();
    awaitEnd(held.run);
    assertThat(runners().stream().map(r -> r.path("id").asText())).contains(idle);
  }

  private static void terminate(JsonNode runner) {
    ProcessHandle.of(runner.path("pid").asLong()).orElseThrow().destroy();
  }

  /** Checks the events that every handover must have. */
  private static List<JsonNode> assertLeft(String run) throws Exception {
    List<JsonNode> events = on.api.events(run);
    assertThat(events.stream().map(e -> e.at("/data/reason").asText())).contains("runner_left");
    Instant last = null;
    for (JsonNode event : events) {
      String type = event.path("type").asText();
      Instant time = Instant.parse(event.path("time").asText());
      if (type.equals("runner_started")
          && last != null
          && event.path("id").asText().contains("/2/")) {
        System.out.println(
            "last event of the old runner to the first of the new: "
                + Duration.between(last, time).toMillis()
                + " ms");
      }
      if (event.path("id").asText().contains("/1/")) {
        last = time;
      }
    }
    return events;
  }

  @Test
  void shouldHandOverAtSigtermAndRepeatNothing() throws Exception {
    Held held = start("leaves");
    Await.until("the first step is done", END, () -> held.ledger.lines().size() == 1);
    Await.until(
        "it waits",
        END,
        () -> on.api.run(held.run).path("current_steps").toString().contains("nap"));

    terminate(carrier(held.run, 1));
    awaitEnd(held.run);

    assertThat(held.ledger.lines()).containsExactly("first 1", "last 2");
    assertThat(on.api.run(held.run).path("output").asText().strip()).isEqualTo("one");
    assertLeft(held.run);
    Await.until(
        "the old one has ended by itself",
        END,
        () -> carrier(held.run, 1).path("state").asText().equals("exited"));
  }

  @Test
  void shouldHandOverAStepThatDoesNotEnd() throws Exception {
    Held held = held();
    awaitHeld(held, 1);

    terminate(carrier(held.run, 1));
    awaitHeld(held, 2);
    held.ledger.open();
    awaitEnd(held.run);

    assertThat(held.ledger.lines()).containsExactly("first 1", "held 1", "held 2");
    assertThat(on.api.run(held.run).path("output").asText().strip()).isEqualTo("one");
    assertLeft(held.run);
  }
}
