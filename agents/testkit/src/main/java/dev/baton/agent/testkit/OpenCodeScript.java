/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.time.Duration;
import java.util.List;

/**
 * The answers for sessions with the tools of OpenCode, whose commands append the lines {@code a},
 * {@code b} and so on to {@code out.txt} and whose edits leave {@code world} in {@code notes.txt}.
 */
public final class OpenCodeScript {
  private static final ScriptedReply PLAN =
      call(
          ScriptedReply.empty(),
          "todowrite",
          "{\"todos\":[{\"content\":\"fix it\",\"status\":\"in_progress\",\"priority\":\"high\"}]}");

  /** Models named {@code gpt-5} get {@code apply_patch}. */
  public static final List<ScriptedReply> CHAT =
      List.of(
          bash(ScriptedReply.text("one"), "a"),
          bash(bash(ScriptedReply.text("two calls"), "b"), "c"),
          call(
              ScriptedReply.empty(),
              "apply_patch",
              "{\"patchText\":\"*** Begin Patch\\n*** Add File: notes.txt\\n+hello\\n*** End Patch\"}"),
          bash(
              call(
                  ScriptedReply.empty(),
                  "apply_patch",
                  "{\"patchText\":\"*** Begin Patch\\n*** Update File: notes.txt\\n@@\\n-hello\\n+world\\n"
                      + "*** End Patch\"}"),
              "d"),
          PLAN,
          bash(bash(bash(ScriptedReply.text("three calls"), "e"), "f"), "g"),
          bash(ScriptedReply.text("last"), "h"),
          ScriptedReply.text("all done"));

  /** Other models get {@code write} and {@code edit}; those of Anthropic use the Messages form. */
  public static final List<ScriptedReply> MESSAGES =
      List.of(
          bash(ScriptedReply.text("one"), "a"),
          bash(bash(ScriptedReply.text("two calls"), "b"), "c"),
          call(
              ScriptedReply.empty(),
              "write",
              "{\"filePath\":\"notes.txt\",\"content\":\"hello\\n\"}"),
          bash(
              call(
                  ScriptedReply.empty(),
                  "edit",
                  "{\"filePath\":\"notes.txt\",\"oldString\":\"hello\",\"newString\":\"world\"}"),
              "d"),
          PLAN,
          bash(ScriptedReply.text("last"), "e"),
          ScriptedReply.text("all done"));

  private OpenCodeScript() {}

  private static ScriptedReply call(ScriptedReply reply, String name, String input) {
    return reply.with(new ReplyPart.ToolCall(name, input)).slowly(Duration.ofMillis(10));
  }

  private static ScriptedReply bash(ScriptedReply reply, String word) {
    return call(
        reply,
        "bash",
        "{\"command\":\"sleep 0.1; echo %s >> out.txt\",\"description\":\"Writes %s\"}"
            .formatted(word, word));
  }
}
