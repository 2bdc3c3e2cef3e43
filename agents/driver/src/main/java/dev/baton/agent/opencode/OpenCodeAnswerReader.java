/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEvent;
import dev.baton.gateway.spend.TokenUsage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports the answers of the model from the events of an OpenCode that uses its own login: each
 * message of the assistant is one answer, whose last part has the usage. Not thread-safe.
 */
final class OpenCodeAnswerReader {
  private static final int MOST_ANSWERS = 1_000;
  private static final int MOST_CALLS = 10_000;

  private final Consumer<AgentEvent> out;
  private String main = "";

  /** The newest answers, by the id of their message. */
  private final Map<String, MessageAnswer> answers =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, MessageAnswer> eldest) {
          return size() > MOST_ANSWERS;
        }
      };

  /** Ids of the messages of calls that have ended. */
  private final Map<String, String> ended =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MOST_CALLS;
        }
      };

  /** A message of the assistant. */
  private static final class MessageAnswer {
    private final String model;
    private final String session;
    private final List<String> tools = new ArrayList<>();
    private final Set<String> calls = new LinkedHashSet<>();
    private boolean streamed;
    private boolean reported;

    MessageAnswer(String model, String session) {
      this.model = model;
      this.session = session;
    }
  }

  OpenCodeAnswerReader(Consumer<AgentEvent> out) {
    this.out = out;
  }

  /** Names the main session; others are those of sub-agents. */
  void main(String session) {
    main = session;
  }

  /** Takes an event; those that say nothing about answers are ignored. */
  void happened(String type, JsonNode properties) {
    switch (type) {
      case "message.updated" -> message(properties.path("info"));
      case "message.part.updated" -> part(properties.path("part"));
      default -> {
        // Nothing about answers.
      }
    }
  }

  /** Whether these calls have ended, and the answers that they belong to are reported. */
  boolean isSettled(Collection<String> calls) {
    return calls.stream()
        .allMatch(
            call -> {
              String message = ended.get(call);
              MessageAnswer answer = message == null ? null : answers.get(message);
              return message != null && (answer == null || answer.reported);
            });
  }

  private void message(JsonNode info) {
    if (!info.path("role").asText().equals("assistant")) {
      return;
    }
    String id = info.path("id").asText();
    MessageAnswer answer =
        answers.computeIfAbsent(
            id,
            _ -> new MessageAnswer(info.path("modelID").asText(), info.path("sessionID").asText()));
    if (info.path("time").has("completed") && answer.streamed) {
      report(id, answer, null); // It broke off.
    }
  }

  private void part(JsonNode part) {
    String id = part.path("messageID").asText();
    MessageAnswer answer = answers.get(id);
    if (answer == null) {
      return; // A part of a prompt.
    }
    switch (part.path("type").asText()) {
      case "tool" -> {
        answer.streamed = true;
        tool(id, answer, part);
      }
      case "text", "reasoning" -> answer.streamed = true;
      case "step-finish" -> report(id, answer, usage(part.path("tokens")));
      default -> {
        // Marks of steps.
      }
    }
  }

  private void tool(String message, MessageAnswer answer, JsonNode part) {
    String call = part.path("callID").asText();
    if (answer.calls.add(call)) {
      answer.tools.add(OpenCodeEventReader.name(part));
    }
    String status = part.path("state").path("status").asText();
    if (status.equals("completed") || status.equals("error")) {
      ended.put(call, message);
    }
  }

  private void report(String id, MessageAnswer answer, @Nullable TokenUsage usage) {
    if (answer.reported) {
      return;
    }
    answer.reported = true;
    out.accept(
        new AgentEvent.AnswerReported(
            id,
            answer.model,
            answer.session.equals(main) ? "" : answer.session,
            answer.tools,
            usage,
            0));
  }

  /** All counts are 0 where the endpoint has reported none. */
  private static @Nullable TokenUsage usage(JsonNode tokens) {
    long reasoning = count(tokens.path("reasoning"));
    TokenUsage usage =
        new TokenUsage(
            count(tokens.path("input")),
            count(tokens.path("cache").path("read")),
            count(tokens.path("cache").path("write")),
            0,
            count(tokens.path("output")) + reasoning,
            reasoning);
    return usage.total() == 0 ? null : usage;
  }

  private static long count(JsonNode number) {
    return Math.max(0, number.asLong(0));
  }
}
