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
import java.nio.file.Files;
import java.nio.file.Path;
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
    BYTE_FLIPPED
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
          - {id: b, shell: 'echo b >> log; head -c 100000 /dev/urandom > blob; echo "b $BATON_EPOCH" >> "$LEDGER"', env: {LEDGER: "${{ .input.ledger }}"}}
          - {id: c, shell: 'echo "c $BATON_EPOCH" >> "$LEDGER"; until test -e "$GATE"; do sleep 0.05; done; cat log; wc -c < blob', output: lines, env: {LEDGER: "${{ .input.ledger }}", GATE: "${{ .input.gate }}"}}
        """);
    on.api.push(
        """
        name: damaged-in-wait
        input: {type: object}
        steps:
          - {id: a, shell: 'echo a >> log'}
          - {id: b, shell: 'echo b >> log; head -c 100000 /dev/urandom > blob'}
          - {id: review, approval: {prompt: "Continue?"}}
          - {id: c, shell: 'cat log; wc -c < blob', output: lines}
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

    String digest = damage(run, how);
    kill(run);

    ledger.await("c 2", END);
    ledger.open();
    assertThat(lines(on.api.awaitStatus(run, "completed", END)))
        .containsExactly("a", "b", "100000");
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
        .containsExactly("a", "b", "100000");
    assertThat(on.api.count(run, "approval_requested")).isEqualTo(2);
    assertDegraded(run, digest);
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
    Set<String> only = packs(cuts.getLast());
    only.removeAll(packs(cuts.getFirst()));
    assertThat(only).isNotEmpty();
    for (String pack : only) {
      Path object = object(pack);
      byte[] bytes = Files.readAllBytes(object);
      switch (how) {
        case DELETED -> Files.delete(object);
        case TRUNCATED -> Files.write(object, Arrays.copyOf(bytes, bytes.length / 2));
        case BYTE_FLIPPED -> {
          bytes[bytes.length / 2] ^= 1;
          Files.write(object, bytes);
        }
      }
    }
    return cuts.getLast().path("digest").asText();
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
