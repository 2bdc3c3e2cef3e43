/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEvent;
import dev.baton.gateway.spend.TokenUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports the answers of the model from the lines of a Claude Code that uses its own login: the
 * parts of a stream have the usage, the whole blocks the tools. Not thread-safe.
 */
final class ClaudeAnswerReader {
  private static final int MOST_IDS = 1_000;
  private static final long UNKNOWN = -1;

  private final Consumer<AgentEvent> out;
  private final LongSupplier nanos;

  /** By the call of the sub-agent; empty for the main conversation. */
  private final Map<String, OpenAnswer> open = new HashMap<>();

  /** Ids of the newest answers that were reported. */
  private final Map<String, Boolean> reported =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > MOST_IDS;
        }
      };

  /** An answer whose stream has begun. */
  private static final class OpenAnswer {
    private final JsonNode message;
    private final String parent;
    private final long sinceNanos;
    private final List<String> tools = new ArrayList<>();
    private long output = UNKNOWN;

    OpenAnswer(JsonNode message, String parent, long sinceNanos) {
      this.message = message;
      this.parent = parent;
      this.sinceNanos = sinceNanos;
    }

    String id() {
      return message.path("id").asText();
    }
  }

  /**
   * @param nanos monotonic clock in nanoseconds
   */
  ClaudeAnswerReader(Consumer<AgentEvent> out, LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
  }

  /** Takes a line of the type {@code stream_event}. */
  void streamed(JsonNode line) {
    String parent = line.path("parent_tool_use_id").asText("");
    JsonNode event = line.path("event");
    switch (event.path("type").asText()) {
      case "message_start" -> {
        breakOff(
            open.put(parent, new OpenAnswer(event.path("message"), parent, nanos.getAsLong())));
      }
      case "message_delta" -> {
        OpenAnswer answer = open.get(parent);
        JsonNode output = event.path("usage").path("output_tokens");
        if (answer != null && output.isIntegralNumber()) {
          answer.output = output.longValue();
        }
      }
      case "message_stop" -> {
        OpenAnswer answer = open.remove(parent);
        if (answer != null) {
          report(answer);
        }
      }
      default -> {
        // Parts of the text.
      }
    }
  }

  /** Takes a line of the type {@code assistant}, which has whole blocks of an answer. */
  void assistant(JsonNode line) {
    String parent = line.path("parent_tool_use_id").asText("");
    JsonNode message = line.path("message");
    OpenAnswer answer = open.get(parent);
    if (answer == null || !answer.id().equals(message.path("id").asText())) {
      // Its stream is not shown, so that its final usage is unknown.
      if (!message.path("id").asText("").isEmpty()
          && !message.path("model").asText().equals("<synthetic>")) {
        answer = new OpenAnswer(message, parent, nanos.getAsLong());
        addTools(answer, message);
        report(answer);
      }
      return;
    }
    addTools(answer, message);
  }

  private static void addTools(OpenAnswer answer, JsonNode message) {
    for (JsonNode block : message.path("content")) {
      if (block.path("type").asText().equals("tool_use")) {
        answer.tools.add(block.path("name").asText());
      }
    }
  }

  /** The turn has ended: reports the answers that broke off. */
  void end() {
    List.copyOf(open.values()).forEach(this::breakOff);
    open.clear();
  }

  private void breakOff(@Nullable OpenAnswer answer) {
    if (answer != null) {
      answer.output = UNKNOWN;
      report(answer);
    }
  }

  private void report(OpenAnswer answer) {
    if (reported.put(answer.id(), true) != null) {
      return;
    }
    out.accept(
        new AgentEvent.AnswerReported(
            answer.id(),
            answer.message.path("model").asText(),
            answer.parent,
            answer.tools,
            usage(answer),
            (nanos.getAsLong() - answer.sinceNanos) / 1_000_000));
  }

  private static @Nullable TokenUsage usage(OpenAnswer answer) {
    JsonNode usage = answer.message.path("usage");
    if (answer.output < 0 || !usage.path("input_tokens").isIntegralNumber()) {
      return null;
    }
    long written = count(usage.path("cache_creation_input_tokens"));
    long forAnHour =
        Math.min(written, count(usage.path("cache_creation").path("ephemeral_1h_input_tokens")));
    return new TokenUsage(
        count(usage.path("input_tokens")),
        count(usage.path("cache_read_input_tokens")),
        written - forAnHour,
        forAnHour,
        answer.output,
        0);
  }

  private static long count(JsonNode number) {
    return Math.max(0, number.asLong(0));
  }
}
