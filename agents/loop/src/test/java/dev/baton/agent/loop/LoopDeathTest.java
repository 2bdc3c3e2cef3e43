/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.testkit.AgentDeaths;
import dev.baton.agent.testkit.DeathHarness;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The built-in loop over kills of its whole tree, half of them together with the gateway, each time
 * in a new home and a new workspace. Its commands append: each one that ran twice would be seen.
 */
class LoopDeathTest {
  private static final int KILLS = Integer.getInteger("baton.loop.kills", 20);
  private static final int TURNS = 70;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static ScriptedReply call(ScriptedReply reply, String name, String input) {
    return reply.with(new ReplyPart.ToolCall(name, input));
  }

  private static ScriptedReply shell(ScriptedReply reply, String word) {
    return call(reply, "shell", "{\"command\":\"sleep 0.1; echo %s >> out.txt\"}".formatted(word));
  }

  /** Three answers have several commands, one has two calls that change nothing. */
  private static List<ScriptedReply> script() {
    List<ScriptedReply> replies = new ArrayList<>();
    for (int i = 0; i < TURNS; i++) {
      ScriptedReply reply = ScriptedReply.empty().after(Duration.ofMillis(60));
      reply =
          switch (i) {
            case 0 ->
                call(
                    ScriptedReply.text("a plan").after(Duration.ofMillis(60)),
                    "planning_setup_plan",
                    "{\"objective\":\"all\",\"steps\":[\"first\",\"second\"]}");
            case 3 ->
                call(reply, "write_file", "{\"path\":\"notes.txt\",\"content\":\"hello\\n\"}");
            case 5 ->
                shell(
                    call(
                        reply,
                        "edit_file",
                        "{\"path\":\"notes.txt\",\"old_text\":\"hello\",\"new_text\":\"hello world\"}"),
                    "edited");
            case 7, 11, 15 -> shell(shell(shell(reply, i + "a"), i + "b"), i + "c");
            case 9 -> call(reply, "update_step", "{\"step\":1,\"status\":\"done\"}");
            case 13 ->
                call(
                    call(reply, "grep", "{\"pattern\":\"world\"}"),
                    "read_file",
                    "{\"path\":\"out.txt\"}");
            default -> shell(reply, "turn " + i);
          };
      replies.add(reply);
    }
    replies.add(ScriptedReply.text("all done").after(Duration.ofMillis(60)));
    return replies;
  }

  @Test
  @Timeout(500)
  void shouldKeepFilesSessionAndCallsOverKills() throws Exception {
    // Turns with one command: all but the 8 named ones; the edit has one, three turns have three.
    int lines = TURNS - 8 + 1 + 9;
    AgentDeaths.check(
        new LoopDriver(), List.of(), folder, script(), DeathHarness.MODEL, lines, KILLS, 6);
  }
}
