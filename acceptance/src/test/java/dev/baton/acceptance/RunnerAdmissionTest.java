/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.json.Json;
import dev.baton.standalone.StackComponent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Attaches runner processes to an orchestrator process that requires a token of them. */
class RunnerAdmissionTest {
  private static final Duration END = Duration.ofSeconds(90);
  private static final String TOKEN = "admits-runners-of-this-test";

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    on =
        SharedStackExtension.RunningStack.of(
            stack ->
                stack
                    .environment(StackComponent.ORCHESTRATOR, "BATON_ATTACH_TOKENS", TOKEN)
                    .environment(StackComponent.ORCHESTRATOR, "BATON_LAUNCHER_POOL_SIZE", "1"));
    on.api.push(
        """
        name: anywhere
        steps:
          - {id: one, shell: 'echo "one $BATON_EPOCH"', output: text}
        """);
    on.api.push(
        """
        name: light
        steps:
          - {id: one, transform: '1 + 1'}
        """);
    on.api.push(
        """
        name: selected
        runner: {labels: {admission: "yes"}}
        steps:
          - {id: one, transform: '1 + 1'}
        """);
  }

  @AfterAll
  static void stop() throws Exception {
    on.close();
  }

  @Test
  void shouldAdmitTheRunnersOfItsOwnLaunchersAlsoAfterARestart() throws Exception {
    awaitCompleted(start("light")); // A shared runner.
    awaitCompleted(start("anywhere")); // One of its own.

    on.stack.kill(StackComponent.ORCHESTRATOR);
    on.stack.restart(StackComponent.ORCHESTRATOR);

    // The shared runner attaches again with the token that it was sent.
    awaitCompleted(start("light"));
  }

  @Test
  void shouldGiveARunnerWithTheTokenARunAndRefuseTheOthers() throws Exception {
    Path file = Files.writeString(on.folder.resolve("token"), TOKEN + "\n");
    try (ExternalRunner none = ExternalRunner.start("none", Map.of());
        ExternalRunner wrong =
            ExternalRunner.start("wrong", Map.of("BATON_ATTACH_TOKEN", TOKEN + "x"))) {
      none.awaitLine("UNAUTHENTICATED", "has no attach token", "baton.attach.token-file");
      wrong.awaitLine("UNAUTHENTICATED", "is wrong", "baton.attach.tokens");
      assertThat(wrong.log()).doesNotContain(TOKEN);
      try (ExternalRunner right =
          ExternalRunner.start("right", Map.of("BATON_ATTACH_TOKEN_FILE", file.toString()))) {
        Await.until(
            "it is attached", END, () -> orchestratorLog().contains("runner right attached"));
        awaitCompleted(start("selected"));
        assertThat(right.log()).doesNotContain(TOKEN);
      }
    }
    assertThat(orchestratorLog())
        .contains("a runner was not attached")
        .doesNotContain("runner none attached", "runner wrong attached", TOKEN);
  }

  private static String orchestratorLog() throws IOException {
    return Files.readString(on.stack.log(StackComponent.ORCHESTRATOR));
  }

  @Test
  void shouldRefuseTheTokenOfALaunchedRunnerUnderAnotherNameAndASecondTime() throws Exception {
    awaitCompleted(start("light"));
    ProcessHandle pooled =
        ProcessHandle.allProcesses()
            .filter(
                process ->
                    environment(process)
                        .getOrDefault("BATON_DATA", "")
                        .startsWith(on.folder.toString()))
            .filter(process -> "shared".equals(environment(process).get("BATON_RUNNER_MODE")))
            .findFirst()
            .orElseThrow();
    String used = environment(pooled).getOrDefault("BATON_ATTACH_TOKEN", "");
    assertThat(used).startsWith("bat1.once.");
    String name = environment(pooled).getOrDefault("BATON_RUNNER_ID", "");

    try (ExternalRunner thief = ExternalRunner.start("thief", Map.of("BATON_ATTACH_TOKEN", used));
        ExternalRunner again = ExternalRunner.start(name, Map.of("BATON_ATTACH_TOKEN", used))) {
      thief.awaitLine("UNAUTHENTICATED", "another name");
      again.awaitLine("UNAUTHENTICATED", "was used before");
    }
    awaitCompleted(start("light"));
  }

  private static String start(String workflow) throws Exception {
    return on.api.start(workflow, Json.mapper().createObjectNode());
  }

  private static void awaitCompleted(String run) {
    Await.until(
        "run " + run + " has completed",
        END,
        () -> on.api.run(run).path("status").asText().equals("completed"));
  }

  private static Map<String, String> environment(ProcessHandle process) {
    return RunnerProcessHandle.environment(process.pid());
  }

  /** A shared runner that no launcher has started. */
  private record ExternalRunner(Process process, Path output) implements AutoCloseable {
    static ExternalRunner start(String name, Map<String, String> more) throws IOException {
      Path folder = Files.createTempDirectory(on.folder, "external-");
      Path output = folder.resolve("log");
      ProcessBuilder builder = new ProcessBuilder(on.stack.runnerCommand());
      builder.redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().put("BATON_RUNNER_ID", name);
      builder.environment().put("BATON_RUNNER_MODE", "shared");
      builder.environment().put("BATON_RUNNER_LABELS", "admission=yes");
      builder.environment().put("BATON_ORCHESTRATOR_URL", on.stack.orchestratorUrl());
      builder.environment().put("BATON_STORE_URL", on.stack.storeUrl());
      builder.environment().put("KAFKA_BOOTSTRAP_SERVERS", on.stack.kafkaBootstrap());
      builder.environment().put("BATON_DATA", folder.resolve("work").toString());
      builder.environment().putAll(more);
      return new ExternalRunner(builder.start(), output);
    }

    String log() throws IOException {
      return Files.readString(output);
    }

    /** Waits for a line with all of these parts. */
    void awaitLine(String... parts) {
      Await.until(
          "the runner logs " + List.of(parts),
          END,
          () -> log().lines().anyMatch(line -> List.of(parts).stream().allMatch(line::contains)));
    }

    @Override
    public void close() {
      process.destroyForcibly();
      process.onExit().join();
    }
  }
}
