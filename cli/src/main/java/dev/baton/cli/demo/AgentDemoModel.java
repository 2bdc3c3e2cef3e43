/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.scripted.ModelScript;
import dev.baton.scripted.ReplyPart;
import dev.baton.scripted.ScriptedModelServer;
import dev.baton.scripted.ScriptedReply;
import dev.baton.scripted.ScriptedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The model of the agent's demo: an endpoint on loopback whose answers fix {@code leap.sh}. It
 * keeps every request, so that calls can be counted and conversations compared.
 */
final class AgentDemoModel implements AutoCloseable {
  /**
   * Answers, counted from 1, after which a test runs for two seconds: there the runner is killed.
   */
  static final List<Integer> TEST_RUNS = List.of(2, 6);

  private static final Duration THINKING = Duration.ofMillis(300);
  private static final String FIX =
      """
      cat > leap.sh <<'END'
      #!/bin/sh
      # Prints how many days February has in a year.
      year=$1
      if [ $((year % 400)) -eq 0 ] || { [ $((year % 4)) -eq 0 ] && [ $((year % 100)) -ne 0 ]; }; then echo 29; else echo 28; fi
      END
      """;

  private static final String DATE = "2026-01-02T03:04:05Z";

  private final DemoAgent agent;
  private final ScriptedModelServer server;

  AgentDemoModel(DemoAgent agent) throws IOException {
    this.agent = agent;
    List<ScriptedReply> answers = agent.isProgram() ? script(agent) : script();
    server =
        ScriptedModelServer.start(
            request ->
                isOfTheWork(request)
                    ? ModelScript.byTurn(answers).reply(request)
                    : ScriptedReply.text("{\"title\": \"A title\"}"));
  }

  /** Whether it has tools: programs request titles and summaries without. */
  private boolean isOfTheWork(ScriptedRequest request) {
    return !agent.isProgram() || !request.body().path("tools").isEmpty();
  }

  private List<ScriptedRequest> requests() {
    return server.requests().stream().filter(this::isOfTheWork).toList();
  }

  /** Settings of the stack that let agents call this model. */
  Map<String, String> settings() {
    return Map.of(
        agent.endpoint() + "_URL", server.baseUrl().toString(), agent.endpoint() + "_KEY", "none");
  }

  /** The calls so far. */
  int calls() {
    return requests().size();
  }

  /**
   * Returns the messages of the newest request: the whole conversation up to the last answer. Calls
   * are numbered in the order of their appearance, since each answer gives them new ids. Of other
   * programs than the loop, which add texts to their conversations, it returns the calls of tools.
   */
  JsonNode conversation() {
    List<ScriptedRequest> requests = requests();
    if (agent.isProgram()) {
      ArrayNode calls = Json.mapper().createArrayNode();
      if (!requests.isEmpty()) {
        collectCalls(requests.getLast().body(), calls);
      }
      return calls;
    }
    JsonNode messages =
        requests.isEmpty()
            ? Json.mapper().createArrayNode()
            : requests.getLast().body().path("messages").deepCopy();
    number(messages, new HashMap<>());
    return messages;
  }

  /** Adds the calls of tools in a request of any form, with name and arguments. */
  private static void collectCalls(JsonNode node, ArrayNode calls) {
    String type = node.path("type").asText();
    if (type.equals("tool_use")) {
      calls.addObject().put("name", node.path("name").asText()).set("input", node.path("input"));
    } else if (type.equals("function_call")) {
      calls
          .addObject()
          .put("name", node.path("name").asText())
          .set("input", node.path("arguments"));
    } else if (type.equals("function") && node.path("function").has("arguments")) {
      calls
          .addObject()
          .put("name", node.at("/function/name").asText())
          .set("input", node.at("/function/arguments"));
    } else {
      node.forEach(child -> collectCalls(child, calls));
    }
  }

  private static void number(JsonNode node, Map<String, String> numbers) {
    if (node instanceof ObjectNode object) {
      for (String field : List.of("id", "tool_use_id")) {
        if (object.path(field).isTextual()) {
          String id = object.path(field).textValue();
          object.put(field, numbers.computeIfAbsent(id, _ -> "call-" + (numbers.size() + 1)));
        }
      }
      object.forEach(value -> number(value, numbers));
    } else if (node instanceof ArrayNode array) {
      array.forEach(value -> number(value, numbers));
    }
  }

  @Override
  public void close() {
    server.close();
  }

  private static ObjectNode input() {
    return Json.mapper().createObjectNode();
  }

  private static ReplyPart shell(String command) {
    return new ReplyPart.ToolCall("shell", input().put("command", command).toString());
  }

  private static ReplyPart read(String path) {
    return new ReplyPart.ToolCall("read_file", input().put("path", path).toString());
  }

  private static ReplyPart done(int step, String note) {
    return new ReplyPart.ToolCall(
        "update_step",
        input().put("step", step).put("status", "done").put("note", note).toString());
  }

  private static ScriptedReply reply(String text, ReplyPart... parts) {
    ScriptedReply reply = ScriptedReply.text(text);
    for (ReplyPart part : parts) {
      reply = reply.with(part);
    }
    return reply.after(THINKING).usage(900, 0, 0, 60, 0);
  }

  /** The same work with nothing but the tool for commands of another program. */
  private static List<ScriptedReply> script(DemoAgent agent) {
    return List.of(
        reply("I look around.", agent.shell("ls")),
        reply("I run the test.", agent.shell("sh test.sh")),
        reply("1900 fails. I read both files.", agent.shell("cat leap.sh test.sh")),
        reply(
            "Centuries are the cause.",
            agent.shell("echo 'cause: no rule for centuries' >> NOTES.md")),
        reply("I fix the condition.", agent.shell(FIX)),
        reply("And test it.", agent.shell("sh test.sh && echo 'test.sh passes' >> NOTES.md")),
        reply("It passes.", agent.shell(commit())),
        reply("leap.sh has the rule for centuries now; test.sh passes."));
  }

  private static String commit() {
    return "git add -A && GIT_AUTHOR_DATE=%s GIT_COMMITTER_DATE=%s git -c user.name=agent -c user.email=agent@localhost commit -q -m 'Fix the rule for centuries' && git log -1 --format=%%h"
        .formatted(DATE, DATE);
  }

  static List<ScriptedReply> script() {
    ObjectNode plan = input().put("objective", "test.sh passes");
    plan.putArray("steps").add("find the cause").add("fix leap.sh").add("commit");
    ObjectNode edit =
        input()
            .put("path", "leap.sh")
            .put("old_text", "[ $((year % 4)) -eq 0 ]")
            .put(
                "new_text",
                "[ $((year % 400)) -eq 0 ] || { [ $((year % 4)) -eq 0 ] && [ $((year % 100)) -ne 0 ]; }");
    return List.of(
        reply("A plan first.", new ReplyPart.ToolCall("planning_setup_plan", plan.toString())),
        reply("I run the test.", shell("sh test.sh")),
        reply("1900 fails. I read both files.", read("leap.sh"), read("test.sh")),
        reply(
            "Centuries are the cause.",
            done(1, "leap.sh has no rule for centuries"),
            shell("echo 'cause: no rule for centuries' >> NOTES.md")),
        reply("I fix the condition.", new ReplyPart.ToolCall("edit_file", edit.toString())),
        reply("And test it.", shell("sh test.sh && echo 'test.sh passes' >> NOTES.md")),
        reply(
            "It passes.",
            done(2, "condition with 4, 100 and 400"),
            shell(commit()),
            done(3, "one commit")),
        reply("leap.sh has the rule for centuries now; test.sh passes."));
  }
}
