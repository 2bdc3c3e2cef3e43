/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.opencode.OpenCodeDriver;
import dev.baton.scripted.ModelScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real OpenCode with its own login. Skipped unless it is installed. */
@Timeout(180)
class OpenCodeOwnLoginTest {
  private static final String MODEL = "anthropic/claude-sonnet-4-5";

  private final OpenCodeDriver driver = new OpenCodeDriver();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private OwnLoginRig rig(ModelScript script) throws IOException {
    return new OwnLoginRig(driver, InstalledAgents.opencode(), folder, script);
  }

  @Test
  void shouldRestBeforeEachRequestAndReportEachCallBeforeItRuns() throws Exception {
    try (OwnLoginRig rig = rig(ModelScript.byTurn(OpenCodeScript.MESSAGES))) {
      Files.writeString(rig.work().resolve("AGENTS.md"), "Speak of penguins.");
      Path plugins = Files.createDirectories(rig.work().resolve(".opencode/plugin"));
      Files.writeString(
          plugins.resolve("x.js"),
          "export const X = async () => { await Bun.write('%s', 'x'); return {} }\n"
              .formatted(rig.work().resolve("plugin.txt")));
      AgentEnd end = OwnLoginRig.end(rig.start("ANTHROPIC", "ANTHROPIC_API_KEY", MODEL));

      assertThat(end.kind())
          .as(() -> end + " " + rig.events.events())
          .isEqualTo(AgentEnd.Kind.COMPLETED);
      assertThat(rig.rests)
          .containsExactly(
              "0 requests, 0 answers, 0 calls of 0, -",
              "1 requests, 1 answers, 1 calls of 1, a",
              "2 requests, 2 answers, 3 calls of 3, abc",
              "3 requests, 3 answers, 4 calls of 4, abc",
              "4 requests, 4 answers, 6 calls of 6, abcd",
              "5 requests, 5 answers, 7 calls of 7, abcd",
              "6 requests, 6 answers, 8 calls of 8, abcde");
      assertThat(rig.begins).hasSize(8).startsWith("bash after 1").contains("edit after 5");
      assertThat(rig.events.of(AgentEvent.AnswerReported.class))
          .hasSize(7)
          .allMatch(answer -> answer.model().equals("claude-sonnet-4-5"))
          .allMatch(answer -> answer.usage() != null && answer.usage().total() > 0)
          .extracting(AgentEvent.AnswerReported::tools)
          .startsWith(List.of("bash"), List.of("bash", "bash"), List.of("write"));
      assertThat(rig.model.requests().getFirst().header("x-api-key")).isEqualTo("sk-own");
      assertThat(rig.model.requests().getFirst().body().toString()).contains("Speak of penguins.");
      assertThat(rig.work().resolve("plugin.txt")).doesNotExist();
    }
  }

  @Test
  void shouldRefuseAModelWithoutItsProvider() throws Exception {
    try (OwnLoginRig rig = rig(ModelScript.byTurn(OpenCodeScript.MESSAGES))) {
      assertThatThrownBy(() -> rig.start("ANTHROPIC", "ANTHROPIC_API_KEY", "claude-sonnet-4-5"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("'claude-sonnet-4-5'", "PROVIDER/MODEL");
    }
  }
}
