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
