/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.acp.AcpDriver;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real claude-agent-acp over kills of its whole tree. Skipped unless it is installed. */
class AcpDeathTest {
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

  private static final List<ScriptedReply> ANSWERS =
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

  /** A title is requested without tools; an answer that the agent has invented is none. */
  private static ScriptedReply answer(ScriptedRequest request) {
    if (request.body().path("tools").isEmpty()) {
      return ScriptedReply.text("{\"title\": \"A title\"}");
    }
    int turn = request.turn() - invented(request.body().path("messages"));
    return ANSWERS.get(Math.min(turn, ANSWERS.size() - 1));
  }

  private static int invented(JsonNode messages) {
    int count = 0;
    for (JsonNode message : messages) {
      if (message.path("content").toString().contains("No response requested.")) {
        count++;
      }
    }
    return count;
  }

  @Test
  @Timeout(900)
  void shouldKeepFilesSessionAndCallsOverKills() throws Exception {
    ModelScript script = AcpDeathTest::answer;
    AgentDeaths.check(
        new AcpDriver(),
        InstalledAgents.acp(),
        folder,
        script,
        request -> !request.body().path("tools").isEmpty(),
        ANSWERS.size(),
        DeathHarness.MODEL,
        8,
        AgentDeaths.KILLS,
        AgentDeaths.EVENTS);
  }
}
