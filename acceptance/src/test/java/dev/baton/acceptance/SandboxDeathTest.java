/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.process.MarkedProcessFinder;
import dev.baton.process.ProcfsProcessReader;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The death of a runner whose steps are in sandboxes without a network. */
@UsesScriptedModels
class SandboxDeathTest {
  private static final Duration END = Duration.ofSeconds(180);

  /** Hangs in the first epoch only; nothing outside of the workspace is visible to the step. */
  private static final String HANG = "[ $BATON_EPOCH != 1 ] || sleep 601";

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelStack stack;

  @SuppressWarnings("NullAway.Init")
  private static ScriptedModelServer endpoint;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        System.getenv("CI") != null || Files.isExecutable(Path.of("/usr/bin/bwrap")),
        "bubblewrap is not installed");
    stack = ScriptedModelStack.with(ModelScript.byTurn(script()));
    endpoint = stack.messages();
    on = stack.on;
    on.api.push(
        """
        name: boxed
        defaults: {sandbox: true}
        steps:
          - {id: before, shell: 'pwd > lines'}
          - id: work
            agent: {use: loop, model: claude-sonnet-4-5, prompt: Work.}
          - {id: after, shell: 'echo "$PWD" >> lines; cat lines', output: lines}
        """);
    on.api.push(
        """
        name: boxed-shell
        defaults: {sandbox: true}
        steps:
          - {id: before, shell: 'echo before >> lines'}
          - {id: slow, shell: 'echo slow >> lines; setsid env -i sleep 602 & touch hangs; %s'}
          - {id: after, shell: 'cat lines; ls hangs', output: lines}
        """
            .formatted(HANG));
  }

  @AfterAll
  static void stop() throws IOException {
    if (stack != null) {
      stack.close();
    }
  }

  private static List<ScriptedReply> script() {
    return List.of(
        shell("echo one >> lines"),
        shell("echo two >> lines; touch hangs; " + HANG),
        shell("echo three >> lines"),
        ScriptedReply.text("The end."));
  }

  private static ScriptedReply shell(String command) {
    return ScriptedReply.empty()
        .with(new ReplyPart.ToolCall("shell", "{\"command\": \"" + command + "\"}"));
  }

  private static String startUntilItHangs(String workflow) throws Exception {
    String run = on.api.start(workflow, AcceptanceApiClient.JSON.createObjectNode());
    Await.until("the step hangs", END, () -> !sleeping(run).isEmpty());
    return run;
  }

  private static List<?> sleeping(String run) throws IOException {
    return MarkedProcessFinder.withVariables(Set.of("BATON_RUN_ID=" + run)).stream()
        .filter(process -> ProcfsProcessReader.arguments(process.pid()).contains("601"))
        .toList();
  }

  /** The replacement still ends when its run has completed: its processes are awaited. */
  private static void awaitNothingIsLeft(String run) throws Exception {
    Await.until(
        "no process of the run is left",
        END,
        () -> MarkedProcessFinder.withVariables(Set.of("BATON_RUN_ID=" + run)).isEmpty());
    assertThat(
            ProcessHandle.allProcesses()
                .filter(
                    process ->
                        ProcfsProcessReader.arguments(process.pid())
                            .equals(List.of("sleep", "602"))))
        .isEmpty();
  }

  @Test
  void shouldContinueAnAgentAtItsBoundary() throws Exception {
    String run = startUntilItHangs("boxed");

    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(false)).isTrue();
    JsonNode end = on.api.awaitStatus(run, "completed", END);

    List<String> lines = lines(end);
    assertThat(lines.subList(1, 4)).containsExactly("one", "two", "three");
    assertThat(lines.getFirst()).isEqualTo(lines.getLast());
    assertThat(endpoint.requests()).as("calls of the model").hasSize(4);
    assertThat(on.api.events(run, "agent_session_created").getLast().has("degraded")).isFalse();
    awaitNothingIsLeft(run);
  }

  @Test
  void shouldStartAShellStepAgainOnTheFilesBeforeIt() throws Exception {
    String run = startUntilItHangs("boxed-shell");

    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(false)).isTrue();
    JsonNode end = on.api.awaitStatus(run, "completed", END);

    assertThat(lines(end)).containsExactly("before", "slow", "hangs");
    awaitNothingIsLeft(run);
  }

  private static List<String> lines(JsonNode end) {
    return StreamSupport.stream(end.path("output").spliterator(), false)
        .map(JsonNode::asText)
        .toList();
  }
}
