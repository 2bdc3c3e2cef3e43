/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.agent.claude.ClaudeDriver;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real Claude Code over kills of its whole tree. Skipped unless it is installed. */
class ClaudeDeathTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static ScriptedReply bash(ScriptedReply reply, String word) {
    return call(
        reply,
        "Bash",
        "{\"command\":\"sleep 0.1; echo %s >> out.txt\",\"description\":\"Writes %s\"}"
            .formatted(word, word));
  }

  private static ScriptedReply call(ScriptedReply reply, String name, String input) {
    return reply.with(new ReplyPart.ToolCall(name, input)).slowly(Duration.ofMillis(10));
  }

  static final List<ScriptedReply> SCRIPT =
      List.of(
          bash(ScriptedReply.text("one"), "a"),
          bash(bash(ScriptedReply.text("two calls"), "b"), "c"),
          call(
              ScriptedReply.empty(),
              "Write",
              "{\"file_path\":\"notes.txt\",\"content\":\"hello\\n\"}"),
          bash(
              call(
                  ScriptedReply.empty(),
                  "Edit",
                  "{\"file_path\":\"notes.txt\",\"old_string\":\"hello\",\"new_string\":\"world\"}"),
              "d"),
          call(
              ScriptedReply.empty(),
              "TaskCreate",
              "{\"subject\":\"fix it\",\"description\":\"fix the bug\"}"),
          bash(bash(bash(ScriptedReply.text("three calls"), "e"), "f"), "g"),
          bash(ScriptedReply.text("last"), "h"),
          ScriptedReply.text("all done"));

  @Test
  @Timeout(400)
  void shouldKeepFilesSessionAndCallsOverKills() throws Exception {
    AgentDeaths.check(
        new ClaudeDriver(), InstalledAgents.claude(), folder, SCRIPT, DeathHarness.MODEL, 8);
  }
}
