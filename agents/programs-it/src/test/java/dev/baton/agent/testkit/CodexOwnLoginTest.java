/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.codex.CodexDriver;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real Codex with its own login. Skipped unless it is installed. */
@Timeout(180)
class CodexOwnLoginTest {
  private final CodexDriver driver = new CodexDriver();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private OwnLoginRig rig(ModelScript script) throws IOException {
    return new OwnLoginRig(driver, InstalledAgents.codex(), folder, script);
  }

  @Test
  void shouldRestBeforeEachRequestAndReportEachCallBeforeItRuns() throws Exception {
    try (OwnLoginRig rig = rig(ModelScript.byTurn(CodexDeathTest.SCRIPT))) {
      AgentEnd end = OwnLoginRig.end(rig.start("OPENAI", "CODEX_API_KEY", "gpt-5"));

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
              "6 requests, 6 answers, 10 calls of 10, abcdefg",
              "7 requests, 7 answers, 11 calls of 11, abcdefgh");
      assertThat(rig.begins).hasSize(11).startsWith("shell after 1");
      assertThat(rig.events.of(AgentEvent.AnswerReported.class))
          .hasSize(8)
          .allMatch(answer -> answer.model().equals("gpt-5") && answer.parent().isEmpty())
          .allMatch(answer -> answer.usage() != null && answer.usage().total() > 0)
          .doesNotHaveDuplicates();
      assertThat(rig.model.requests())
          .allMatch(request -> "Bearer sk-own".equals(request.header("authorization")));
    }
  }

  @Test
  void shouldKeepTheKeyFromCommands() throws Exception {
    try (OwnLoginRig rig =
        rig(
            ModelScript.byTurn(
                List.of(
                    ScriptedReply.text("look")
                        .with(
                            new ReplyPart.ToolCall(
                                "exec_command",
                                "{\"cmd\":\"(env; cat /proc/$PPID/environ) > out.txt\",\"login\":false}")),
                    ScriptedReply.text("done"))))) {
      OwnLoginRig.end(rig.start("OPENAI", "CODEX_API_KEY", "gpt-5"));

      assertThat(rig.work().resolve("out.txt"))
          .content(StandardCharsets.ISO_8859_1)
          .contains("CODEX_HOME")
          .doesNotContain("sk-own");
    }
  }
}
