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
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks that a program with only a Kafka producer can act as a runner; it runs in a separate
 * process without any class of Baton.
 */
@UsesSharedStack
class ForeignProducerTest {
  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static AcceptanceApiClient api;

  @BeforeAll
  static void use(SharedStackExtension.RunningStack running) {
    on = running;
    api = running.api;
  }

  @Test
  void shouldShowAForeignRunThroughRestAndTheCommand() throws Exception {
    String run = newRunId();
    foreignRunner(on, run, "complete");

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
  }

  @Test
  void shouldDeclareAForeignRunLostWhenItsHeartbeatsStop() throws Exception {
    String run = newRunId();
    foreignRunner(on, run, "die");

    Await.until(
        "the foreign run is lost",
        Duration.ofSeconds(20),
        () -> api.run(run).path("status").asText().equals("lost"));

    assertThat(AcceptanceApiClient.first(api.events(run), "run_lost")).isNotNull();
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
      foreignRunner(fresh, run, "die");
      fresh.stack.restart(StackComponent.ORCHESTRATOR);

      fresh.api.awaitStatus(run, "lost", Duration.ofSeconds(30));
    }
  }

  private static void foreignRunner(SharedStackExtension.RunningStack on, String run, String how)
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
                how)
            .inheritIO()
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  private static String newRunId() {
    String alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
    Random random = new Random();
    return random
        .ints(25, 0, alphabet.length())
        .mapToObj(i -> alphabet.substring(i, i + 1))
        .collect(Collectors.joining("", "0", ""))
        .toLowerCase(Locale.ROOT);
  }
}
