/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicBootstrap;
import dev.baton.standalone.StackComponent;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that a program with only a Kafka producer can act as a runner; it runs in a separate
 * process without any class of Baton.
 */
@UsesSharedStack
class ForeignProducerTest {
  private static final int PARTITIONS = TopicBootstrap.PARTITIONS;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  @BeforeAll
  static void use(SharedStackExtension.RunningStack running) {
    on = running;
    api = running.api;
  }

  /** The second program chooses another partition for the same key. */
  @ParameterizedTest
  @ValueSource(strings = {"java", "crc32"})
  void shouldShowAForeignRunThroughRestAndTheCommand(String partitioner) throws Exception {
    String run = newRunId();
    foreignRunner(on, run, "complete", partitioner);

    Await.until(
        "the foreign run is completed",
        Duration.ofSeconds(20),
        () -> api.run(run).path("status").asText().equals("completed"));

    JsonNode shown = api.run(run);
    assertThat(shown.path("kind").asText()).isEqualTo("external");
    assertThat(shown.path("completed_steps").asInt()).isEqualTo(2);
    assertThat(shown.path("output").asText()).isEqualTo("done");
    JsonNode completed = AcceptanceApiClient.first(api.events(run), "step_completed");
    assertThat(completed).isNotNull();
    assertThat(completed.path("data").path("favourite_colour").asText())
        .as("an unknown field is kept")
        .isEqualTo("green");

    BatonCliInvoker.Result status = BatonCliInvoker.run(on, "status", run, "-o", "json");
    assertThat(status.code()).as("%s", status).isZero();
    assertThat(AcceptanceApiClient.JSON.readTree(status.out()).path("status").asText())
        .isEqualTo("completed");
    BatonCliInvoker.Result events = BatonCliInvoker.run(on, "events", run);
    assertThat(events.out()).as("%s", events).contains("step_completed").contains("think");
    assertThat(shown.path("home_partition").asInt(-1))
        .isEqualTo(
            partitioner.equals("crc32") ? crc32(run) : HomePartitioner.choose(run, PARTITIONS));
  }

  @Test
  void shouldDeclareAForeignRunLostWhenItsHeartbeatsStop() throws Exception {
    String run = newRunId();
    foreignRunner(on, run, "die", "crc32");

    Await.until(
        "the foreign run is lost",
        Duration.ofSeconds(20),
        () -> api.run(run).path("status").asText().equals("lost"));

    List<JsonNode> events = api.events(run);
    assertThat(events.getFirst().path("type").asText()).endsWith("run_created");
    assertThat(events.getLast().path("type").asText())
        .as("control events are in the run's partition: %s", events)
        .endsWith("run_lost");
    assertThat(api.run(run).path("steps")).isNotEmpty();
    BatonCliInvoker.Result status = BatonCliInvoker.run(on, "status", run);
    assertThat(status.code()).as("%s", status).isZero();
    assertThat(status.out()).contains("lost");
  }

  @Test
  void shouldShowAWholeRunOfKcatAndRefuseWhatItWritesElsewhere() throws Exception {
    String run = newRunId();
    KcatForeignRunner kcat = new KcatForeignRunner(on.stack.kafkaBootstrap(), run);
    beginWith(kcat, run, 20_000);
    int home = crc32(run);
    int elsewhere = HomePartitioner.choose(run, PARTITIONS);
    // What Java's partitioner would have chosen.
    kcat.traceTo(elsewhere, run + "/1/4", "step_completed", completed("astray"));
    kcat.trace(run + "/1/4", "step_completed", completed("act"));
    kcat.trace(run + "/1/5", "run_completed", "{\"schema\":1,\"output\":{\"value\":\"done\"}}");
    kcat.heartbeat("ended", 20_000);

    JsonNode shown = api.awaitStatus(run, "completed", Duration.ofSeconds(20));

    assertThat(shown.path("home_partition").asInt()).isEqualTo(home);
    assertThat(shown.path("completed_steps").asInt()).isEqualTo(2);
    assertThat(shown.path("output").asText()).isEqualTo("done");
    assertThat(shown.findValuesAsText("step")).doesNotContain("astray");
    assertThat(kcat.log(home)).hasSize(6);
    Await.until(
        "the store has the run's log",
        Duration.ofSeconds(20),
        () -> ids(api.events(run)).equals(kcat.log(home)));
    BatonCliInvoker.Result events = BatonCliInvoker.run(on, "events", run);
    assertThat(events.out()).as("%s", events).contains("run_completed").doesNotContain("astray");
    Await.until(
        "the record elsewhere is a dead letter",
        Duration.ofSeconds(20),
        () -> !deadLetters(run).isEmpty());
    assertThat(deadLetters(run))
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.path("reason").asText()).isEqualTo("wrong_partition");
              assertThat(letter.path("message").asText())
                  .contains("partition " + elsewhere, "home partition " + home, "partitioner");
            });
  }

  @Test
  void shouldDeclareARunOfKcatLostWhenItIsSilent() throws Exception {
    String run = newRunId();
    KcatForeignRunner kcat = new KcatForeignRunner(on.stack.kafkaBootstrap(), run);
    beginWith(kcat, run, 3_000);

    api.awaitStatus(run, "lost", Duration.ofSeconds(20));

    Await.until(
        "the store has run_lost",
        Duration.ofSeconds(20),
        () -> api.types(run).getLast().endsWith("run_lost"));
    assertThat(ids(api.events(run))).isEqualTo(kcat.log(crc32(run)));
    assertThat(api.run(run).path("completed_steps").asInt()).isEqualTo(1);
    assertThat(BatonCliInvoker.run(on, "status", run).out()).contains("lost");
  }

  private static void beginWith(KcatForeignRunner kcat, String run, long timeoutMs)
      throws Exception {
    kcat.trace(
        run + "/c/1",
        "run_created",
        "{\"schema\":1,\"kind\":\"external\",\"project\":\"default\",\"workflow\":\"kcat\",\"created_at\":\"%s\"}"
            .formatted(Instant.now()));
    kcat.trace(
        run + "/1/1",
        "runner_started",
        "{\"schema\":1,\"runner\":\"kcat\",\"pid\":1,\"host\":\"elsewhere\"}");
    kcat.heartbeat("running", timeoutMs);
    kcat.trace(
        run + "/1/2", "step_started", "{\"schema\":1,\"step\":\"think\",\"kind\":\"agent\"}");
    kcat.trace(run + "/1/3", "step_completed", completed("think"));
    kcat.heartbeat("running", timeoutMs);
  }

  private static String completed(String step) {
    return "{\"schema\":1,\"step\":\"%s\",\"kind\":\"agent\",\"output\":{\"value\":1}}"
        .formatted(step);
  }

  private static List<String> ids(List<JsonNode> events) {
    return events.stream().map(event -> event.path("id").asText()).toList();
  }

  private static List<JsonNode> deadLetters(String run) throws Exception {
    List<JsonNode> found = new ArrayList<>();
    api.get("/dead-letters?run=" + run)
        .body()
        .path("dead_letters")
        .forEach(letter -> found.add(letter));
    return found;
  }

  /** The consumer reads a partition without committed offset from its beginning. */
  @Test
  @Tag("full")
  void shouldMissARunnerThatHasComeAndGoneBeforeAnybodyListened() throws Exception {
    try (SharedStackExtension.RunningStack fresh =
        SharedStackExtension.RunningStack.of(UnaryOperator.identity())) {
      fresh.stack.kill(StackComponent.ORCHESTRATOR);
      String run = newRunId();
      foreignRunner(fresh, run, "die", "java");
      fresh.stack.restart(StackComponent.ORCHESTRATOR);

      fresh.api.awaitStatus(run, "lost", Duration.ofSeconds(30));
    }
  }

  private static int crc32(String run) {
    CRC32 sum = new CRC32();
    sum.update(run.getBytes(StandardCharsets.UTF_8));
    return (int) (sum.getValue() % PARTITIONS);
  }

  private static void foreignRunner(
      SharedStackExtension.RunningStack on, String run, String how, String partitioner)
      throws Exception {
    String kafkaOnly =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.contains("baton") && entry.endsWith(".jar"))
            .filter(entry -> entry.matches(".*(kafka-clients|slf4j-api|lz4|snappy|zstd).*"))
            .collect(Collectors.joining(File.pathSeparator));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                kafkaOnly,
                Path.of("src/test/foreign/ForeignRunner.java").toAbsolutePath().toString(),
                on.stack.kafkaBootstrap(),
                run,
                how,
                partitioner)
            .inheritIO()
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  /** Returns an id for which the partitioners choose different partitions. */
  private static String newRunId() {
    String run = randomId();
    while (crc32(run) == HomePartitioner.choose(run, PARTITIONS)) {
      run = randomId();
    }
    return run;
  }

  private static String randomId() {
    String alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
    Random random = new Random();
    return random
        .ints(25, 0, alphabet.length())
        .mapToObj(i -> alphabet.substring(i, i + 1))
        .collect(Collectors.joining("", "0", ""))
        .toLowerCase(Locale.ROOT);
  }
}
