/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentListener;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.agent.process.ToolInput;
import dev.baton.protocol.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the plugin of the driver in an OpenCode with its own login. The plugin writes a line to
 * the output before each request of the model and before each call of a tool, and waits for a line
 * on its input. Everything runs under the lock of the session.
 */
final class OpenCodePluginLink {
  /**
   * The plugin. Its hook {@code chat.params} is the last one before a request: OpenCode has built
   * the request from its database then, so that all results are in it.
   */
  static final String SOURCE =
      """
      // Holds each request of the model and each call of a tool until the driver answers.
      const waiting = new Map()
      const calls = new Map()
      let next = 0
      let rest = ""

      process.stdin.setEncoding("utf8")
      process.stdin.on("data", (chunk) => {
        const lines = (rest + chunk).split("\\n")
        rest = lines.pop()
        for (const line of lines) {
          if (line.trim() === "") continue
          const answer = JSON.parse(line)
          const resolve = waiting.get(answer.id)
          waiting.delete(answer.id)
          if (resolve) resolve(answer)
        }
      })

      const hold = (message) =>
        new Promise((resolve) => {
          const id = ++next
          waiting.set(id, resolve)
          process.stdout.write("\\n" + JSON.stringify({ baton: message, id }) + "\\n")
        })

      export const Baton = async () => ({
        "chat.params": async (input) => {
          const ended = calls.get(input.sessionID) ?? []
          calls.delete(input.sessionID)
          await hold({ type: "request", session: input.sessionID, calls: ended })
        },
        "tool.execute.before": async (input, output) => {
          const session = input.sessionID
          calls.set(session, [...(calls.get(session) ?? []), input.callID])
          const answer = await hold({
            type: "call",
            session,
            call: input.callID,
            tool: input.tool,
            args: output.args,
          })
          if (answer.denial) throw new Error(answer.denial)
        },
      })
      """;

  private static final String PREFIX = "{\"baton\":";

  /** How long a request waits for the events of the calls before it. */
  private static final Duration EVENTS_WITHIN = Duration.ofSeconds(10);

  private final AgentListener listener;
  private final ToolRules rules;
  private final OpenCodeEventReader events;
  private final OpenCodeAnswerReader answers;
  private final SessionActions session;
  private final List<HeldRequest> held = new ArrayList<>();
  private boolean seen;

  /**
   * What the link uses of its session.
   *
   * @param locked runs a part of the session under its lock
   * @param later runs it so after a delay
   * @param send sends a line to the plugin
   */
  record SessionActions(
      Consumer<Runnable> locked, BiConsumer<Duration, Runnable> later, Consumer<ObjectNode> send) {}

  /** A request that waits for the events of the calls before it. */
  private record HeldRequest(int id, List<String> calls) {}

  OpenCodePluginLink(
      AgentListener listener,
      ToolRules rules,
      OpenCodeEventReader events,
      OpenCodeAnswerReader answers,
      SessionActions session) {
    this.listener = listener;
    this.rules = rules;
    this.events = events;
    this.answers = answers;
    this.session = session;
  }

  /** Whether the plugin has reported anything: OpenCode runs it. */
  boolean isSeen() {
    return seen;
  }

  /**
   * Takes a line of OpenCode's output.
   *
   * @return false when the plugin has not written it
   */
  boolean take(String line) {
    if (!line.startsWith(PREFIX)) {
      return false;
    }
    JsonNode json;
    try {
      json = Json.mapper().readTree(line);
    } catch (JsonProcessingException e) {
      return false;
    }
    int id = json.path("id").asInt();
    JsonNode message = json.path("baton");
    switch (message.path("type").asText()) {
      case "request" -> request(id, message);
      case "call" -> call(id, message);
      default -> {
        return false;
      }
    }
    seen = true;
    return true;
  }

  /** The events come on another stream: those of the calls before may not have come yet. */
  private void request(int id, JsonNode message) {
    List<String> calls = new ArrayList<>();
    message.path("calls").forEach(call -> calls.add(call.asText()));
    HeldRequest request = new HeldRequest(id, calls);
    held.add(request);
    happened();
    if (held.contains(request)) {
      session.later().accept(EVENTS_WITHIN, () -> restWithoutEvents(request));
    }
  }

  private void restWithoutEvents(HeldRequest request) {
    if (held.remove(request)) {
      listener.happened(
          new AgentEvent.Notice(
              "calls %s: no events of their ends came within %d s; the next request continues"
                  .formatted(request.calls(), EVENTS_WITHIN.toSeconds())));
      rest(request);
    }
  }

  /** An event has come: requests that have waited for it may continue. */
  void happened() {
    for (HeldRequest request : List.copyOf(held)) {
      if (answers.isSettled(request.calls()) && held.remove(request)) {
        rest(request);
      }
    }
  }

  private void rest(HeldRequest request) {
    listener
        .rest()
        .whenComplete((done, problem) -> session.locked().accept(() -> reply(request.id(), null)));
  }

  private void call(int id, JsonNode message) {
    String call = message.path("call").asText();
    String tool = message.path("tool").asText();
    JsonNode args = message.path("args");
    ToolInput input = new ToolInput(args.isObject() ? args : Json.mapper().createObjectNode());
    events.began(call, tool, input, message.path("session").asText());
    if (rules.judge(tool, input.main()) != ToolRules.Verdict.ALLOW) {
      reply(id, null); // It requests a permission next, which is refused.
      return;
    }
    listener
        .begin(input.approval(call, tool, ""))
        .whenComplete(
            (decision, problem) ->
                session.locked().accept(() -> begin(id, call, decision, problem)));
  }

  private void begin(
      int id, String call, @Nullable ToolDecision decision, @Nullable Throwable problem) {
    String denial = OpenCodeSession.denial(decision, problem);
    if (denial == null) {
      listener.happened(new AgentEvent.ToolAllowed(call));
    }
    reply(id, denial);
  }

  private void reply(int id, @Nullable String denial) {
    ObjectNode answer = Json.mapper().createObjectNode().put("id", id);
    if (denial != null) {
      answer.put("denial", denial);
    }
    session.send().accept(answer);
  }
}
