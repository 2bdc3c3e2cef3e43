/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.testkit.AgentDeaths;
import dev.baton.agent.testkit.DeathHarness;
import dev.baton.agent.testkit.DeathPlan;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
        new LoopDriver(),
        List.of(),
        folder,
        script(),
        DeathHarness.MODEL,
        lines,
        DeathPlan.of(KILLS, 6));
  }

  private static final Pattern TURN = Pattern.compile("turn (\\d+)");

  /** The next command follows from the highest number in the conversation or its summary. */
  private static ScriptedReply longReply(ScriptedRequest request) {
    String body = request.body().path("messages").toString();
    int turn =
        TURN.matcher(body).results().mapToInt(m -> Integer.parseInt(m.group(1))).max().orElse(0);
    if (LoopCompactionTest.isSummary(request)) {
      return ScriptedReply.text("up to turn " + turn).after(Duration.ofMillis(60));
    }
    if (turn == TURNS) {
      return ScriptedReply.text("all done").after(Duration.ofMillis(60));
    }
    // Six answers fill 0.8 of the window; the newest one is in the requests after a summary.
    return shell(ScriptedReply.empty().after(Duration.ofMillis(60)), "turn " + (turn + 1))
        .usage(20_000L * (request.turn() + 1), 0, 0, 10, 0);
  }

  @Test
  @Timeout(500)
  void shouldPayForEachSummaryOnceOverKills() throws Exception {
    int summaries = 1 + (TURNS - 6) / 5;
    AgentDeaths.check(
        new LoopDriver(),
        List.of(),
        folder,
        LoopDeathTest::longReply,
        request -> true,
        TURNS + 1 + summaries,
        DeathHarness.MODEL,
        TURNS,
        DeathPlan.of(KILLS, 6));
  }

  private static final int PARTS = 12;

  /** Each second answer of the step's session starts a sub-agent with three commands. */
  private static ScriptedReply partReply(ScriptedRequest request) {
    String task = "";
    for (JsonNode message : request.body().path("messages")) {
      if (message.path("role").asText().equals("user")) {
        task = message.path("content").toString();
        break;
      }
    }
    Matcher part = Pattern.compile("part (\\d+)").matcher(task);
    ScriptedReply reply = ScriptedReply.empty().after(Duration.ofMillis(60));
    int turn = request.turn();
    if (part.find()) {
      return turn < 3
          ? shell(reply, "part " + part.group(1) + " turn " + turn)
          : ScriptedReply.text("part done").after(Duration.ofMillis(60));
    }
    if (turn == 2 * PARTS) {
      return ScriptedReply.text("all done").after(Duration.ofMillis(60));
    }
    return turn % 2 == 0
        ? shell(reply, "turn " + turn)
        : call(reply, "sub_agent", "{\"prompt\":\"part %d\"}".formatted(turn));
  }

  @Test
  @Timeout(500)
  void shouldKeepTheWorkOfSubAgentsOverKills() throws Exception {
    AgentDeaths.check(
        new LoopDriver(),
        List.of(),
        folder,
        LoopDeathTest::partReply,
        request -> true,
        2 * PARTS + 1 + 4 * PARTS,
        DeathHarness.MODEL,
        PARTS + 3 * PARTS,
        DeathPlan.of(KILLS, 6));
  }
}
