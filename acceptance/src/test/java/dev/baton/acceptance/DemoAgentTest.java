/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.testkit.InstalledAgents;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code baton demo --agent} as a user runs it, with a stack of its own. */
@Tag("full")
class DemoAgentTest {
  private static final int SECONDS = 300;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Test
  @Timeout(SECONDS + 60)
  void shouldFixTheProgramOverTwoKillsAndPayNothingTwice() throws Exception {
    assertFixed("shell");
  }

  @Test
  @Timeout(SECONDS + 60)
  void shouldDoSoWithClaudeCode() throws Exception {
    assertFixed("Bash", "--use", "claude", "--program", InstalledAgents.claude().getFirst());
  }

  @Test
  @Timeout(SECONDS + 60)
  void shouldDoSoWithCodex() throws Exception {
    assertFixed("shell", "--use", "codex", "--program", InstalledAgents.codex().getFirst());
  }

  @Test
  @Timeout(SECONDS + 60)
  void shouldDoSoWithOpenCode() throws Exception {
    assertFixed("bash", "--use", "opencode", "--program", InstalledAgents.opencode().getFirst());
  }

  private void assertFixed(String tool, String... more) throws Exception {
    Path out = folder.resolve("out.json");
    Path err = folder.resolve("err.txt");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of("..", "baton").toAbsolutePath().normalize().toString(),
                "demo",
                "--agent",
                "-o",
                "json"));
    command.addAll(List.of(more));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("BATON_SKIP_BUILD", "1");
    builder.environment().remove("ANTHROPIC_API_KEY");
    Process process = builder.start();
    process.getOutputStream().close();
    boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      process.destroy();
    }
    String said = Files.readString(err);

    assertThat(ended).as(said).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    JsonNode result = AcceptanceApiClient.JSON.readTree(out.toFile());
    assertThat(result.path("failures")).isEmpty();
    assertThat(result.path("same_files").asBoolean()).isTrue();
    assertThat(result.path("same_conversation").asBoolean()).isTrue();
    assertThat(result.path("kills")).hasSize(2);
    int undisturbed = result.path("undisturbed_calls").asInt();
    assertThat(undisturbed).isEqualTo(8);
    assertThat(result.path("calls").asInt())
        .isBetween(undisturbed, undisturbed + result.path("under_way").asInt());
    assertThat(said)
        .contains(
            "SIGKILL to the runner", "the agent continues session", "tool_invoked fix: " + tool);
  }
}
