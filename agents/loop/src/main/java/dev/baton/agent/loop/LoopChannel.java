/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.ToolDecision;
import dev.baton.agent.loop.session.Plan;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The loop's side of its pipes to the driver: a JSON object in each line. It writes events, and
 * reads decisions. Thread-safe.
 */
final class LoopChannel {
  private final PrintStream out;
  private final Map<String, CompletableFuture<ToolDecision>> waiting = new ConcurrentHashMap<>();

  LoopChannel(PrintStream out) {
    this.out = out;
  }

  private static ObjectNode line(String type) {
    return Json.mapper().createObjectNode().put("type", type);
  }

  private synchronized void write(ObjectNode line) {
    out.println(line);
    out.flush();
  }

  void started(String session, String model) {
    write(line("session").put("id", session).put("model", model));
  }

  /**
   * @param child id of the sub-agent's session that the call belongs to; empty for the main one
   */
  void toolBegun(String call, String tool, ObjectNode input, String child) {
    ObjectNode line = line("tool_begun").put("call", call).put("tool", tool).put("child", child);
    line.set("input", input);
    write(line);
  }

  void toolEnded(
      String call, String tool, AgentEvent.ToolOutcome outcome, List<String> files, long length) {
    ObjectNode line =
        line("tool_ended")
            .put("call", call)
            .put("tool", tool)
            .put("outcome", outcome.name().toLowerCase(Locale.ROOT))
            .put("length", length);
    ArrayNode names = line.putArray("files");
    files.forEach(names::add);
    write(line);
  }

  void plan(Plan plan) {
    ObjectNode line = line("plan");
    ArrayNode items = line.putArray("items");
    for (Plan.PlanStep step : plan.steps()) {
      String status =
          switch (step.status()) {
            case DONE -> "completed";
            case IN_PROGRESS -> "in_progress";
            case PENDING, BLOCKED -> "pending";
          };
      items.addObject().put("text", step.title()).put("status", status);
    }
    write(line);
  }

  /**
   * @param child as in {@link #toolBegun}
   */
  void text(String text, String child) {
    write(
        line("text")
            .put("text", TextShortener.shorten(text, AgentEvent.MOST_TEXT))
            .put("child", child));
  }

  /** Reports that a summary has replaced older messages. */
  void compacted(String session, long tokensBefore) {
    write(line("compacted").put("session", session).put("tokens", tokensBefore));
  }

  void childStarted(String session, String parent, String description) {
    write(
        line("child_started")
            .put("session", session)
            .put("parent", parent)
            .put("description", description));
  }

  void childEnded(String session, AgentEvent.ToolOutcome outcome) {
    write(
        line("child_ended")
            .put("session", session)
            .put("outcome", outcome.name().toLowerCase(Locale.ROOT)));
  }

  void notice(String text) {
    write(line("notice").put("text", text));
  }

  /** Reports the end; the last line. */
  void end(AgentEnd.Kind kind, String text, String message) {
    write(
        line("end")
            .put("kind", kind.name().toLowerCase(Locale.ROOT))
            .put("text", text)
            .put("message", message));
  }

  /** Requests the driver's decision on a call, which has no bound. */
  CompletableFuture<ToolDecision> decide(String call, String tool, ObjectNode input) {
    return request("decide", call, tool, input);
  }

  /**
   * Requests the driver to record that an allowed call begins, or to refuse it; without a bound.
   */
  CompletableFuture<ToolDecision> begin(String call, String tool, ObjectNode input) {
    return request("begin", call, tool, input);
  }

  /** A call has one request at a time. */
  private CompletableFuture<ToolDecision> request(
      String type, String call, String tool, ObjectNode input) {
    CompletableFuture<ToolDecision> decision = new CompletableFuture<>();
    waiting.put(call, decision);
    ObjectNode line = line(type).put("call", call).put("tool", tool);
    line.set("input", input);
    write(line);
    return decision;
  }

  /** Reads decisions until the driver closes the pipe, or dies. */
  void readUntilEnd(BufferedReader in) throws IOException {
    for (String text = in.readLine(); text != null; text = in.readLine()) {
      JsonNode line;
      try {
        line = Json.mapper().readTree(text);
      } catch (JsonProcessingException e) {
        throw new IOException("a line of the driver is not JSON", e);
      }
      CompletableFuture<ToolDecision> decision = waiting.remove(line.path("call").asText());
      if (decision != null) {
        decision.complete(
            line.path("allow").asBoolean(false)
                ? new ToolDecision.Allow()
                : new ToolDecision.Deny(line.path("message").asText()));
      }
    }
  }
}
