/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.codex.CodexDriver;
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
 * The real Codex with two sub-agents, which work at the same time as the session that has started
 * them, over kills of its whole tree. Skipped unless it is installed.
 */
class CodexSubAgentDeathTest {
  private static final Pattern SPAWNED = Pattern.compile("\"agent_id\":\\s*\"([^\"]+)\"");
  private static final int COMMANDS = 3;

  /** Answers of the session and of both sub-agents. */
  private static final int ANSWERS = 7 + 2 * (COMMANDS + 1);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static ScriptedReply call(String name, String input) {
    return ScriptedReply.text("next")
        .with(new ReplyPart.ToolCall(name, input))
        .slowly(Duration.ofMillis(10));
  }

  private static ScriptedReply append(String word) {
    return call(
        "exec_command",
        "{\"cmd\":\"sleep 0.1; echo %s >> out.txt\",\"login\":false}".formatted(word));
  }

  private static ScriptedReply spawn(String errand) {
    return call("multi_agent_v1__spawn_agent", "{\"message\":\"%s\"}".formatted(errand));
  }

  private static ScriptedReply await(List<String> agents, int number) {
    String target = number < agents.size() ? agents.get(number) : "none";
    return call(
        "multi_agent_v1__wait_agent",
        "{\"targets\":[\"%s\"],\"timeout_ms\":60000}".formatted(target));
  }

  private static ScriptedReply reply(ScriptedRequest request) {
    String body = request.body().path("input").toString();
    List<ScriptedReply> answers = new ArrayList<>();
    if (body.contains("\"text\":\"go\"")) {
      List<String> agents = new ArrayList<>();
      for (JsonNode item : request.body().path("input")) {
        Matcher id = SPAWNED.matcher(item.path("output").asText());
        if (id.find()) {
          agents.add(id.group(1));
        }
      }
      answers.add(spawn("errand one"));
      answers.add(append("a"));
      answers.add(spawn("errand two"));
      answers.add(await(agents, 0));
      answers.add(await(agents, 1));
      answers.add(append("b"));
      answers.add(ScriptedReply.text("all done"));
    } else {
      String name = body.contains("errand one") ? "one" : "two";
      for (int i = 0; i < COMMANDS; i++) {
        answers.add(append(name + i));
      }
      answers.add(ScriptedReply.text(name + " done"));
    }
    return answers.get(Math.min(request.turn(), answers.size() - 1));
  }

  @Test
  @Timeout(600)
  void shouldKeepTheWorkOfSubAgentsOverKills() throws Exception {
    AgentDeaths.check(
        new CodexDriver(),
        InstalledAgents.codex(),
        folder,
        CodexSubAgentDeathTest::reply,
        request -> true,
        ANSWERS,
        "gpt-5",
        2 + 2 * COMMANDS,
        DeathPlan.STANDARD.withConversations(3));
  }
}
