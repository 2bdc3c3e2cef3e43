/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Checks all guarantees under faults, with two replicas of each service: at least 50 runs and 200
 * faults in five minutes. {@code -Dbaton.seed=N} repeats the faults of a printed seed, {@code
 * -Dbaton.chaos.minutes=M} sets the duration, {@code -Dbaton.chaos.replicas=N} the number of
 * replicas. Runs the CLI command, which uses its own network namespace if available.
 */
@Isolated("its bounds on failover hold for a machine with nothing else to do")
class ChaosTest {
  private static final long SEED = Long.getLong("baton.seed", System.nanoTime() & 0xffffff);
  private static final int MINUTES = Integer.getInteger("baton.chaos.minutes", 1);
  private static final int REPLICAS = Integer.getInteger("baton.chaos.replicas", 2);
  private static final int RUNS_PER_MINUTE = 10;
  private static final int FAULTS_PER_MINUTE = 40;

  /** More than required: some faults find no target. */
  private static final int PLANNED_PER_MINUTE = 54;

  // Generous, because a busy machine is slow without violating a guarantee.
  private static final int BOUND_S = 600;

  /** Time for the start before the faults, and for the checker after them. */
  private static final int OTHERWISE_MINUTES = 15;

  @Test
  void shouldKeepEveryPromiseUnderFaults() throws Exception {
    System.out.println("-Dbaton.seed=" + SEED + ": chaos for " + MINUTES + " min");
    Path folder = Files.createTempDirectory("baton-chaos-");

    JsonNode verdict = chaos(folder);

    System.out.println(verdict.toPrettyString());
    assertThat(verdict.path("ok").asBoolean()).as("the history is in %s", folder).isTrue();
    assertThat(verdict.path("runs").asInt()).isGreaterThanOrEqualTo(MINUTES * RUNS_PER_MINUTE);
    assertThat(verdict.path("fault_count").asInt())
        .isGreaterThanOrEqualTo(MINUTES * FAULTS_PER_MINUTE);
    assertThat(verdict.path("invariants"))
        .isNotEmpty()
        .allMatch(invariant -> invariant.path("checked").asInt() > 0);
    DirectoryTreeDeleter.delete(folder);
  }

  private static JsonNode chaos(Path folder) throws IOException, InterruptedException {
    Path said = folder.resolve("said.json");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of("..", "baton").toAbsolutePath().normalize().toString(),
                "chaos",
                "--seed=" + SEED,
                "--minutes=" + MINUTES,
                "--runs=" + MINUTES * RUNS_PER_MINUTE,
                "--faults=" + MINUTES * PLANNED_PER_MINUTE,
                "--replicas=" + REPLICAS,
                "--bound=" + BOUND_S,
                "--out=" + folder.resolve("history"),
                "--output=json")
            .redirectOutput(said.toFile())
            .redirectError(folder.resolve("progress").toFile());
    builder.environment().put("BATON_SKIP_BUILD", "1");
    Process process = builder.start();
    process.getOutputStream().close();
    boolean ended = process.waitFor(MINUTES + OTHERWISE_MINUTES + BOUND_S / 60, TimeUnit.MINUTES);
    if (!ended) {
      process.destroy();
    }
    Files.readAllLines(folder.resolve("progress")).forEach(System.out::println);
    assertThat(ended).as("it ended").isTrue();
    assertThat(process.exitValue()).isBetween(0, 1);
    return AcceptanceApiClient.JSON.readTree(Files.readString(said));
  }
}
