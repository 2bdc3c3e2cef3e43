/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentListener;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.ToolRules;
import dev.baton.agent.process.ToolInput;
import dev.baton.gateway.spend.TokenUsage;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the hooks of a Codex with its own login: holds it before each request of the model and
 * each call of a tool, and reports the answers. Everything runs under the lock of the session.
 */
final class CodexHookLink {
  private static final String REQUEST = "PreModelRequest";
  private static final String ANSWER = "PostModelRequest";
  private static final String CALL = "PreToolUse";

  /** The hooks that the driver needs, by their names in the configuration. */
  static final List<String> EVENTS = List.of(REQUEST, ANSWER, CALL);

  /** How long a request waits for the notifications before it, which come on another way. */
  private static final Duration NOTIFIED_WITHIN = Duration.ofSeconds(10);

  private final AgentListener listener;
  private final ToolRules rules;
  private final CodexEventReader events;
  private final CodexHookFolder folder;
  private final SessionActions session;

  /** Requests whose notifications have not come yet. */
  private final Deque<HeldRequest> held = new ArrayDeque<>();

  /** Notified starts of {@link #REQUEST} without their event. */
  private int notified;

  /** When the request of a thread began, in nanoseconds. */
  private final Map<String, Long> begun = new HashMap<>();

  private long answers;

  /**
   * What the link uses of its session.
   *
   * @param locked runs a part of the session under its lock
   * @param later runs it so after a delay
   * @param fail ends the session with a message
   */
  record SessionActions(
      Consumer<Runnable> locked, BiConsumer<Duration, Runnable> later, Consumer<String> fail) {}

  /** A request of the model that has not begun. */
  private record HeldRequest(String name, String thread) {}

  CodexHookLink(
      AgentListener listener,
      ToolRules rules,
      CodexEventReader events,
      CodexHookFolder folder,
      SessionActions session) {
    this.listener = listener;
    this.rules = rules;
    this.events = events;
    this.folder = folder;
    this.session = session;
  }

  /** Begins to answer the hooks. */
  void begin() {
    folder.follow(
        (name, event) -> session.locked().accept(() -> happened(name, event)),
        problem ->
            session
                .locked()
                .accept(
                    () -> session.fail().accept("the hooks of Codex cannot be read: " + problem)));
  }

  /** Stops answering the hooks: the session has ended. */
  void close() {
    try {
      folder.close();
    } catch (IOException e) {
      listener.happened(
          new AgentEvent.Notice("the folder of Codex's hooks: cannot be closed: " + e));
    }
  }

  private void happened(String name, JsonNode event) {
    String thread = event.path("session_id").asText();
    switch (event.path("hook_event_name").asText()) {
      case REQUEST -> request(new HeldRequest(name, thread));
      case ANSWER -> {
        answered(thread, event);
        reply(name, answer());
      }
      case CALL -> call(name, thread, event);
      default -> reply(name, answer());
    }
  }

  /** The results of the calls before a request are notified before its hook starts. */
  private void request(HeldRequest request) {
    held.add(request);
    settle();
    if (held.contains(request)) {
      session
          .later()
          .accept(
              NOTIFIED_WITHIN,
              () -> {
                if (held.remove(request)) {
                  listener.happened(
                      new AgentEvent.Notice(
                          "hook %s: not notified within %d s; the request continues"
                              .formatted(REQUEST, NOTIFIED_WITHIN.toSeconds())));
                  rest(request);
                }
              });
    }
  }

  /**
   * Takes a notification that a hook starts.
   *
   * @param event name of the hook in notifications
   */
  void started(String event) {
    if (event.equalsIgnoreCase(REQUEST)) {
      notified++;
      settle();
    }
  }

  private void settle() {
    while (notified > 0 && !held.isEmpty()) {
      notified--;
      rest(held.remove());
    }
  }

  private void rest(HeldRequest request) {
    events.endUnseen(request.thread());
    listener
        .rest()
        .whenComplete(
            (done, problem) ->
                session
                    .locked()
                    .accept(
                        () -> {
                          begun.put(request.thread(), System.nanoTime());
                          reply(request.name(), answer());
                        }));
  }

  /** A failed request has no tokens: it is not an answer. */
  private void answered(String thread, JsonNode event) {
    Long since = begun.remove(thread);
    JsonNode tokens = event.path("token_usage");
    if (!event.path("status").asText().equals("completed") && !tokens.isObject()) {
      return;
    }
    answers++;
    listener.happened(
        new AgentEvent.AnswerReported(
            event.path("turn_id").asText() + "/" + answers,
            event.path("model").asText(),
            events.parent(thread),
            List.of(),
            tokens.isObject() ? usage(tokens) : null,
            since == null ? 0 : (System.nanoTime() - since) / 1_000_000));
  }

  /** The tokens of the request include those of the cache. */
  static TokenUsage usage(JsonNode tokens) {
    long read = count(tokens.path("cached_input_tokens"));
    long written = count(tokens.path("cache_write_input_tokens"));
    return new TokenUsage(
        Math.max(0, count(tokens.path("input_tokens")) - read - written),
        read,
        written,
        0,
        count(tokens.path("output_tokens")),
        count(tokens.path("reasoning_output_tokens")));
  }

  private static long count(JsonNode number) {
    return Math.max(0, number.asLong(0));
  }

  private void call(String name, String thread, JsonNode event) {
    String id = event.path("tool_use_id").asText();
    String tool = event.path("tool_name").asText();
    tool = tool.equals("Bash") ? "shell" : tool;
    JsonNode value = event.path("tool_input");
    ToolInput input = new ToolInput(value.isObject() ? value : Json.mapper().createObjectNode());
    events.began(id, tool, input, thread);
    if (rules.judge(tool, input.main()) != ToolRules.Verdict.ALLOW) {
      reply(name, answer()); // It requests an approval next.
      return;
    }
    listener
        .begin(input.approval(id, tool, ""))
        .whenComplete(
            (decision, problem) ->
                session.locked().accept(() -> begin(name, id, decision, problem)));
  }

  private void begin(
      String name, String id, @Nullable ToolDecision decision, @Nullable Throwable problem) {
    ObjectNode answer = answer();
    String denial =
        switch (decision) {
          case ToolDecision.Allow allow -> null;
          case ToolDecision.Deny(String message) -> message.isBlank() ? "denied" : message;
          case null -> "no decision: " + problem;
        };
    if (denial == null) {
      listener.happened(new AgentEvent.ToolAllowed(id));
    } else {
      answer
          .putObject("hookSpecificOutput")
          .put("hookEventName", CALL)
          .put("permissionDecision", "deny")
          .put("permissionDecisionReason", denial);
    }
    reply(name, answer);
  }

  private static ObjectNode answer() {
    return Json.mapper().createObjectNode();
  }

  private void reply(String name, ObjectNode answer) {
    try {
      folder.answer(name, answer);
    } catch (IOException e) {
      session.fail().accept("a hook of Codex cannot be answered: " + e);
    }
  }
}
