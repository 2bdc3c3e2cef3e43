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
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All topics get more partitions while runs are under way. */
class GrowingTopicsTest {
  private static final Duration END = Duration.ofSeconds(120);
  private static final int GROWTH = 3;
  private static final int TOPICS = 10;
  private static final long SEED = Long.getLong("baton.seed", 25);

  private static final String STEPS =
      """
      name: steady
      input: {type: object}
      steps:
        - {id: one, shell: 'echo one >> "$LEDGER"; sleep 4; echo first', env: {LEDGER: "${{ .input.ledger }}"}}
        - {id: two, shell: 'echo two >> "$LEDGER"; sleep 4; echo second', env: {LEDGER: "${{ .input.ledger }}"}}
        - {id: three, shell: 'echo three >> "$LEDGER"; sleep 4; echo third', env: {LEDGER: "${{ .input.ledger }}"}}
      """;

  private static final String BRANCHES =
      """
      name: sides
      input: {type: object}
      steps:
        - id: both
          parallel:
            branches:
              left:
                - {id: l1, shell: 'echo l1 >> "$LEDGER"; sleep 5', env: {LEDGER: "${{ .input.ledger }}"}}
                - {id: l2, shell: 'echo l2 >> "$LEDGER"; sleep 5', env: {LEDGER: "${{ .input.ledger }}"}}
              right:
                - {id: r1, shell: 'echo r1 >> "$LEDGER"; sleep 6', env: {LEDGER: "${{ .input.ledger }}"}}
                - {id: r2, shell: 'echo r2 >> "$LEDGER"; sleep 5', env: {LEDGER: "${{ .input.ledger }}"}}
      """;

  private static final String APPROVALS =
      """
      name: asks
      input: {type: object}
      steps:
        - {id: before, shell: 'echo before >> "$LEDGER"; sleep 3', env: {LEDGER: "${{ .input.ledger }}"}}
        - {id: ask, approval: {prompt: "Go on?"}}
        - {id: after, shell: 'echo after >> "$LEDGER"; sleep 1', env: {LEDGER: "${{ .input.ledger }}"}}
      """;

  private static final Map<String, List<String>> EFFECTS =
      Map.of(
          "steady", List.of("one", "two", "three"),
          "sides", List.of("l1", "l2", "r1", "r2"),
          "asks", List.of("before", "after"));

  @Test
  void shouldEndEveryRunAsIfNothingHadGrown() throws Exception {
    try (SharedStackExtension.RunningStack on =
        SharedStackExtension.RunningStack.of(
            stack -> stack.environment(StackComponent.ORCHESTRATOR, "BATON_PARK_AFTER", "1s"))) {
      on.api.push(STEPS);
      on.api.push(BRANCHES);
      on.api.push(APPROVALS);
      Map<String, StepLedger> runs = new LinkedHashMap<>();
      start(on, runs);
      Await.until(
          "all runs act",
          END,
          () -> {
            for (StepLedger ledger : runs.values()) {
              if (ledger.lines().isEmpty()) {
                return false;
              }
            }
            return true;
          });

      grow(on);
      TimeUnit.SECONDS.sleep(4); // The second growth meets consumers that have just rebalanced.
      grow(on);
      start(on, runs);

      for (Map.Entry<String, StepLedger> run : runs.entrySet()) {
        awaitEnd(on, run.getKey());
        check(on, run.getKey(), run.getValue());
      }
      assertThat(on.api.get("/dead-letters").body().path("dead_letters")).isEmpty();
    }
  }

  private static void start(SharedStackExtension.RunningStack on, Map<String, StepLedger> runs)
      throws Exception {
    for (String workflow : List.of("steady", "asks", "sides", "asks")) {
      StepLedger ledger = StepLedger.in(on.folder);
      runs.put(on.api.start(workflow, ledger.input()), ledger);
    }
  }

  /** Adds partitions to each topic of Baton. */
  private static void grow(SharedStackExtension.RunningStack on) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", on.stack.kafkaBootstrap()))) {
      List<String> names =
          admin.listTopics().names().get(60, TimeUnit.SECONDS).stream()
              .filter(name -> name.startsWith("baton."))
              .toList();
      assertThat(names).hasSize(TOPICS);
      Map<String, NewPartitions> larger = new TreeMap<>();
      admin
          .describeTopics(names)
          .allTopicNames()
          .get(60, TimeUnit.SECONDS)
          .forEach(
              (name, topic) ->
                  larger.put(name, NewPartitions.increaseTo(topic.partitions().size() + GROWTH)));
      admin.createPartitions(larger).all().get(60, TimeUnit.SECONDS);
    }
  }

  private static void awaitEnd(SharedStackExtension.RunningStack on, String run) {
    Await.until(
        "run " + run + " is completed",
        END,
        () -> {
          on.api.approve(run);
          return on.api.run(run).path("status").asText().equals("completed");
        });
  }

  /** No step ran twice, no runner was replaced, the log of the steps is complete. */
  private static void check(SharedStackExtension.RunningStack on, String run, StepLedger ledger)
      throws Exception {
    JsonNode shown = on.api.run(run);
    String workflow = shown.path("workflow").asText();
    assertThat(ledger.lines())
        .containsExactlyInAnyOrderElementsOf(EFFECTS.getOrDefault(workflow, List.of()));
    List<String> reasons = new ArrayList<>();
    for (JsonNode event : on.api.events(run)) {
      if (event.path("type").asText().endsWith("runner_assigned")) {
        reasons.add(event.at("/data/reason").asText());
      }
    }
    assertThat(reasons).as("assignments of run %s", run).isSubsetOf("start", "unparked");
    if (workflow.equals("steady")) {
      assertThat(BatonCliInvoker.run(on, "logs", run).out())
          .contains("first")
          .contains("second")
          .contains("third");
    }
  }

  /**
   * Grows the topics in twelve steps while 60 runs are under way: shell steps, branches, retries,
   * light runs, approvals, parked runs.
   */
  @Test
  @Tag("full")
  void shouldKeepEveryInvariantOfSixtyRuns() throws Exception {
    System.out.println("-Dbaton.seed=" + SEED);
    Path folder = Files.createTempDirectory("baton-growing-");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of("..", "baton").toAbsolutePath().normalize().toString(),
                "chaos",
                "--seed=" + SEED,
                "--only=GROW_TOPICS",
                "--minutes=1",
                "--runs=60",
                "--at-once=60",
                "--faults=12",
                "--replicas=2",
                "--bound=600",
                "--out=" + folder.resolve("history"),
                "--output=json")
            .redirectOutput(folder.resolve("said.json").toFile())
            .redirectError(folder.resolve("progress").toFile());
    builder.environment().put("BATON_SKIP_BUILD", "1");
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(25, TimeUnit.MINUTES)) {
      process.destroy();
    }
    Files.readAllLines(folder.resolve("progress")).forEach(System.out::println);

    JsonNode verdict =
        AcceptanceApiClient.JSON.readTree(Files.readString(folder.resolve("said.json")));
    System.out.println(verdict.toPrettyString());
    assertThat(verdict.path("ok").asBoolean()).as("the history is in %s", folder).isTrue();
    assertThat(verdict.path("runs").asInt()).isGreaterThanOrEqualTo(60);
    assertThat(verdict.at("/faults/GROW_TOPICS").asInt()).isEqualTo(12);
    DirectoryTreeDeleter.delete(folder);
  }
}
