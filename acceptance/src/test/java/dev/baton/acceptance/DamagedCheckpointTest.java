/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.postgres.PostgresAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damages the newest checkpoint of a run in the object store and kills its runner: while a step is
 * in progress, and while a question waits for its answer.
 */
@UsesSharedStack
class DamagedCheckpointTest {
  private static final Duration END = Duration.ofSeconds(120);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  /** A way in which the objects of a checkpoint are lost. */
  enum Damage {
    DELETED,
    TRUNCATED,
    BYTE_FLIPPED,
    ONE_PACK_MISSING,
    VERSION_99
  }

  @BeforeAll
  static void push(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    on.api.push(
        """
        name: damaged-in-step
        input: {type: object}
        steps:
          - {id: a, shell: 'echo a >> log'}
          - {id: b, shell: 'echo b >> log; head -c 9000000 /dev/urandom > blob; head -c 9000000 /dev/urandom > more; echo "b $BATON_EPOCH" >> "$LEDGER"', env: {LEDGER: "${{ .input.ledger }}"}}
          - {id: c, shell: 'echo "c $BATON_EPOCH" >> "$LEDGER"; until test -e "$GATE"; do sleep 0.05; done; cat log; wc -c < blob', output: lines, env: {LEDGER: "${{ .input.ledger }}", GATE: "${{ .input.gate }}"}}
        """);
    on.api.push(
        """
        name: damaged-in-wait
        input: {type: object}
        steps:
          - {id: a, shell: 'echo a >> log'}
          - {id: b, shell: 'echo b >> log; head -c 9000000 /dev/urandom > blob; head -c 9000000 /dev/urandom > more'}
          - {id: review, approval: {prompt: "Continue?"}}
          - {id: c, shell: 'cat log; wc -c < blob', output: lines}
        """);
    on.api.push(
        """
        name: damaged-in-park
        input: {type: object}
        park_after: 0s
        steps:
          - {id: a, shell: 'echo a >> log'}
          - {id: b, shell: 'echo b >> log; head -c 9000000 /dev/urandom > blob; head -c 9000000 /dev/urandom > more'}
          - {id: review, approval: {prompt: "Continue?"}}
          - {id: c, shell: 'cat log; wc -c < blob', output: lines}
        """);
    on.api.push(
        """
        name: damaged-never
        restart: never
        steps:
          - {id: a, shell: 'echo a >> log'}
          - {id: review, approval: {prompt: "Continue?"}}
          - {id: c, shell: 'cat log', output: lines}
        """);
  }

  @Test
  void shouldRepeatTheStepBeforeWhenItsCheckpointIsDeleted() throws Exception {
    repeatTheStepBefore(Damage.DELETED);
  }

  @ParameterizedTest
  @EnumSource(names = "DELETED", mode = EnumSource.Mode.EXCLUDE)
  @Tag("full")
  void shouldRepeatTheStepBeforeWhileOneIsInProgress(Damage how) throws Exception {
    repeatTheStepBefore(how);
  }

  private static void repeatTheStepBefore(Damage how) throws Exception {
    StepLedger ledger = StepLedger.in(on.folder);
    String run = on.api.start("damaged-in-step", ledger.input());
    ledger.await("c 1", END);
    // The API follows the log: the step may run before its predecessor's checkpoint is listed.
    Await.until("both checkpoints are listed", END, () -> on.api.count(run, "step_completed") == 2);

    String digest = damage(run, how);
    kill(run);

    ledger.await("c 2", END);
    ledger.open();
    assertThat(lines(on.api.awaitStatus(run, "completed", END)))
        .containsExactly("a", "b", "9000000");
    assertThat(ledger.lines()).containsExactly("b 1", "c 1", "b 2", "c 2");
    assertDegraded(run, digest);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("full")
  void shouldAskAgainAboutTheRepeatedFiles(Damage how) throws Exception {
    StepLedger ledger = StepLedger.in(on.folder);
    String run = on.api.start("damaged-in-wait", ledger.input());
    String first = awaitQuestion(run, "");

    String digest = damage(run, how);
    kill(run);

    awaitQuestion(run, first);
    assertThat(on.api.approve(run)).isTrue();
    assertThat(lines(on.api.awaitStatus(run, "completed", END)))
        .containsExactly("a", "b", "9000000");
    assertThat(on.api.count(run, "approval_requested")).isEqualTo(2);
    assertDegraded(run, digest);
  }

  /** The answer is about the lost files, so the approval is requested again for the new ones. */
  @ParameterizedTest
  @EnumSource
  @Tag("full")
  void shouldAskAgainWhereAParkedRunHasLostItsFiles(Damage how) throws Exception {
    String run = on.api.start("damaged-in-park", StepLedger.in(on.folder).input());
    String first = awaitQuestion(run, "");
    awaitParked(run, 1);

    String digest = damage(run, how);
    assertThat(on.api.approve(run)).isTrue();

    awaitQuestion(run, first);
    awaitParked(run, 2);
    assertThat(on.api.approve(run)).isTrue();
    assertThat(lines(on.api.awaitStatus(run, "completed", END)))
        .containsExactly("a", "b", "9000000");
    JsonNode view = on.api.run(run);
    assertThat(view.at("/degraded/0/digest").asText()).isEqualTo(digest);
    assertThat(view.at("/degraded/0/reason").asText()).isNotEmpty();
    assertThat(view.path("degraded")).hasSize(1);
    assertThat(on.api.count(run, "run_degraded")).isEqualTo(1);
    assertThat(on.api.count(run, "approval_requested")).isEqualTo(2);
  }

  @Test
  @Tag("full")
  void shouldLoseARunWithoutAnyCheckpointThatMayNotStartAgain() throws Exception {
    String run = on.api.start("damaged-never", AcceptanceApiClient.JSON.createObjectNode());
    awaitQuestion(run, "");

    String digest = damage(run, Damage.DELETED);
    kill(run);

    JsonNode lost = on.api.awaitStatus(run, "lost", END);
    assertThat(lost.at("/error/code").asText()).isEqualTo("restart_never");
    assertThat(lost.at("/degraded/0/digest").asText()).isEqualTo(digest);
    assertThat(on.api.count(run, "run_lost")).isEqualTo(1);
    assertThat(on.api.count(run, "step_completed")).as("nothing is repeated").isEqualTo(1);
  }

  private static void awaitParked(String run, int times) {
    Await.until("run " + run + " is parked", END, () -> on.api.count(run, "run_parked") == times);
  }

  private static void kill(String run) {
    Await.until(
        "the runner of " + run + " is killed",
        END,
        () -> RunnerProcessHandle.of(run).filter(runner -> runner.kill(true)).isPresent());
  }

  /** Returns the approval that waits, once it is another one than before. */
  private static String awaitQuestion(String run, String before) throws Exception {
    Await.until(
        "run " + run + " waits for an answer",
        END,
        () -> {
          String waiting = on.api.run(run).at("/waiting/0/approval").asText();
          return !waiting.isEmpty() && !waiting.equals(before);
        });
    return on.api.run(run).at("/waiting/0/approval").asText();
  }

  private static List<String> lines(JsonNode run) {
    return Stream.of(run.path("output"))
        .flatMap(lines -> lines.valueStream())
        .map(JsonNode::asText)
        .toList();
  }

  private static void assertDegraded(String run, String digest) throws Exception {
    JsonNode view = on.api.run(run);
    assertThat(view.at("/degraded/0/digest").asText()).isEqualTo(digest);
    assertThat(view.at("/degraded/0/reason").asText()).isNotEmpty();
    assertThat(view.path("epoch").asInt()).isEqualTo(2);
    assertThat(on.api.count(run, "run_degraded")).isEqualTo(1);
    assertThat(BatonCliInvoker.run(on, "status", run).out()).contains("degraded", digest);
  }

  /**
   * Damages the packs that only the newest checkpoint needs.
   *
   * @return the digest of its files
   */
  private static String damage(String run, Damage how) throws Exception {
    List<JsonNode> cuts =
        on.api.events(run).stream()
            .map(event -> event.at("/data/cut"))
            .filter(JsonNode::isObject)
            .toList();
    JsonNode newest = cuts.getLast();
    Set<String> only = packs(newest);
    if (cuts.size() > 1) {
      only.removeAll(packs(cuts.getFirst()));
    }
    assertThat(only).isNotEmpty();
    switch (how) {
      case VERSION_99 -> changeVersion(newest.path("checkpoint").asText());
      case ONE_PACK_MISSING -> {
        assertThat(only).hasSizeGreaterThan(1);
        damagePack(only.iterator().next(), how);
      }
      case DELETED, TRUNCATED, BYTE_FLIPPED -> {
        for (String pack : only) {
          damagePack(pack, how);
        }
      }
    }
    return newest.path("digest").asText();
  }

  private static void damagePack(String pack, Damage how) throws IOException {
    Path object = object(pack);
    byte[] bytes = Files.readAllBytes(object);
    switch (how) {
      case DELETED, ONE_PACK_MISSING -> Files.delete(object);
      case TRUNCATED -> Files.write(object, Arrays.copyOf(bytes, bytes.length / 2));
      case BYTE_FLIPPED -> {
        bytes[bytes.length / 2] ^= 1;
        Files.write(object, bytes);
      }
      case VERSION_99 -> throw new IllegalArgumentException("a pack has no version");
    }
  }

  /** Restores read the manifest from Postgres. */
  private static void changeVersion(String checkpoint) throws Exception {
    PostgresAccess postgres = on.stack.postgres();
    try (Connection sql =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
        PreparedStatement change =
            sql.prepareStatement(
                """
                UPDATE store.checkpoint SET manifest = convert_to(regexp_replace(
                  convert_from(manifest, 'UTF8'), '("version" *: *")[^"]*"', '\\199"'), 'UTF8')
                WHERE id = ?""")) {
      change.setString(1, checkpoint);
      assertThat(change.executeUpdate()).isEqualTo(1);
    }
  }

  private static Set<String> packs(JsonNode cut) throws Exception {
    Set<String> packs = new TreeSet<>();
    on.api
        .get("/checkpoints/" + cut.path("checkpoint").asText())
        .body()
        .at("/manifest/workspace/packs")
        .forEach(pack -> packs.add(pack.path("digest").asText().substring("sha256:".length())));
    return packs;
  }

  private static Path object(String pack) throws IOException {
    try (Stream<Path> files = Files.walk(on.folder)) {
      return files
          .filter(file -> Objects.toString(file.getFileName()).equals(pack))
          .findFirst()
          .orElseThrow();
    }
  }
}
