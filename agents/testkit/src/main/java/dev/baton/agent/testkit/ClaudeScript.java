/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.time.Duration;
import java.util.List;

/**
 * The answers for a session with the tools of Claude Code, whose commands append the lines {@code
 * a} to {@code h} to {@code out.txt} and whose edits leave {@code world} in {@code notes.txt}.
 */
public final class ClaudeScript {
  public static final List<ScriptedReply> ANSWERS =
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

  private ClaudeScript() {}

  /** Whether a request belongs to the work: claude-agent-acp requests titles, without tools. */
  public static boolean isOfTheWork(ScriptedRequest request) {
    return !request.body().path("tools").isEmpty();
  }

  /**
   * Returns the answer to a request. The synthetic answers that Claude Code puts before a prompt
   * that continues a turn do not count.
   */
  public static ScriptedReply answer(ScriptedRequest request) {
    if (!isOfTheWork(request)) {
      return ScriptedReply.text("{\"title\": \"A title\"}");
    }
    int turn = request.turn();
    for (JsonNode message : request.body().path("messages")) {
      turn -= message.path("content").toString().contains("No response requested.") ? 1 : 0;
    }
    return ANSWERS.get(Math.min(turn, ANSWERS.size() - 1));
  }

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
}
