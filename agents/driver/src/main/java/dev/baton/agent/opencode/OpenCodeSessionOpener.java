/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentStart;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Creates, finds and prompts the session of a launch by requests to a server. On a screen the
 * program creates new sessions and forks by itself, from its arguments.
 */
final class OpenCodeSessionOpener {
  /** Messages in which a boundary is searched. */
  private static final int NEWEST_MESSAGES = 30;

  private static final Duration NEW_WITHIN = OpenCodeServerSession.START_BOUND;
  private static final long POLL_MILLIS = 200;

  private final OpenCodeClient server;
  private final AgentLaunch launch;
  private final OpenCodeHome home;
  private final OpenCodeHome.ProviderModel model;

  OpenCodeSessionOpener(
      OpenCodeClient server,
      AgentLaunch launch,
      OpenCodeHome home,
      OpenCodeHome.ProviderModel model) {
    this.server = server;
    this.launch = launch;
    this.home = home;
    this.model = model;
  }

  /** The session cannot be resumed; the message says why. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  /**
   * Returns the session of a server without a screen.
   *
   * @throws RefusedException when the session to resume is missing or damaged
   */
  JsonNode open() throws IOException, InterruptedException {
    return switch (launch.start()) {
      case AgentStart.Fresh fresh -> created();
      case AgentStart.Fallback fallback -> created();
      case AgentStart.Resume(String id) -> found(id);
      case AgentStart.Continue(String id, String text) -> found(id);
      case AgentStart.Fork fork -> forked(fork.from());
    };
  }

  /**
   * Returns the session on the screen, within two minutes.
   *
   * @param startedAt in milliseconds since 1970, before the start of the program
   * @throws RefusedException as {@link #open}
   */
  JsonNode openOnScreen(long startedAt) throws IOException, InterruptedException {
    return switch (launch.start()) {
      case AgentStart.Fresh fresh -> awaitCreated(startedAt, "");
      case AgentStart.Fallback fallback -> awaitCreated(startedAt, "");
      case AgentStart.Resume(String id) -> found(id);
      case AgentStart.Continue(String id, String text) -> found(id);
      case AgentStart.Fork fork -> {
        found(fork.from());
        yield awaitCreated(startedAt, fork.from());
      }
    };
  }

  /** Copies the session with its messages; the server chooses the new id. */
  private JsonNode forked(String from) throws IOException, InterruptedException {
    found(from);
    OpenCodeClient.ServerAnswer answer =
        server.post("/session/" + from + "/fork", Json.mapper().createObjectNode());
    if (!answer.ok() || answer.body() == null) {
      throw new RefusedException(
          "session %s cannot be forked: status %d: %s"
              .formatted(from, answer.status(), answer.text()));
    }
    return answer.body();
  }

  private JsonNode created() throws IOException, InterruptedException {
    // A session with a title needs no call of the model for one.
    OpenCodeClient.ServerAnswer answer =
        server.post("/session", Json.mapper().createObjectNode().put("title", launch.step()));
    if (!answer.ok() || answer.body() == null) {
      throw new IOException("/session: status " + answer.status() + ": " + answer.text());
    }
    return answer.body();
  }

  /** Waits for the first session that the program creates, but for sub-agents. */
  private JsonNode awaitCreated(long startedAt, String forked)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + NEW_WITHIN.toNanos();
    while (true) {
      OpenCodeClient.ServerAnswer answer = server.get("/session");
      if (!answer.ok() || answer.body() == null) {
        throw new IOException("/session: status " + answer.status() + ": " + answer.text());
      }
      JsonNode first = null;
      for (JsonNode info : answer.body()) {
        long at = info.at("/time/created").asLong(0);
        boolean candidate =
            at >= startedAt
                && !info.hasNonNull("parentID")
                && !info.path("id").asText().equals(forked);
        if (candidate && (first == null || at < first.at("/time/created").asLong(0))) {
          first = info;
        }
      }
      if (first != null) {
        return first;
      }
      if (System.nanoTime() > end) {
        throw new IOException(
            "the program has not created a session within " + NEW_WITHIN.toSeconds() + " s");
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private JsonNode found(String id) throws IOException, InterruptedException {
    OpenCodeClient.ServerAnswer answer = server.get("/session/" + id);
    JsonNode info = answer.body();
    String problem =
        !answer.ok() || info == null
            ? "status " + answer.status() + ": " + answer.text()
            : mismatch(info, id);
    if (problem != null || info == null) {
      throw new RefusedException("session " + id + " cannot be resumed: " + problem);
    }
    return info;
  }

  private @Nullable String mismatch(JsonNode info, String id)
      throws IOException, InterruptedException {
    if (!info.path("id").asText().equals(id)) {
      return "the agent took session " + info.path("id").asText();
    }
    String folder = info.path("directory").asText();
    if (!folder.equals(launch.folders().workspace().toString())) {
      return "it works in '" + folder + "', not in '" + launch.folders().workspace() + "'";
    }
    OpenCodeBoundary boundary = OpenCodeBoundary.read(home.boundary());
    if (boundary == null || launch.start() instanceof AgentStart.Continue) {
      return null;
    }
    OpenCodeClient.ServerAnswer messages = newest(id);
    return !messages.ok() || messages.body() == null
        ? "its messages cannot be read, status " + messages.status() + ": " + messages.text()
        : boundary.problem(messages.body());
  }

  private OpenCodeClient.ServerAnswer newest(String id) throws IOException, InterruptedException {
    return server.get("/session/" + id + "/message?limit=" + NEWEST_MESSAGES);
  }

  /**
   * Returns the newest messages of a session.
   *
   * @throws IOException when the server does not list them
   */
  JsonNode messages(String id) throws IOException, InterruptedException {
    OpenCodeClient.ServerAnswer answer = newest(id);
    if (!answer.ok() || answer.body() == null) {
      throw new IOException(
          "the messages of session %s: status %d: %s"
              .formatted(id, answer.status(), answer.text()));
    }
    return answer.body();
  }

  /**
   * Whether the model has to answer yet.
   *
   * @param messages of a session
   */
  static boolean hasOpenTurn(JsonNode messages) {
    JsonNode newest = null;
    for (JsonNode message : messages) {
      JsonNode info = message.path("info");
      if (newest == null
          || info.at("/time/created").asLong(0) >= newest.at("/time/created").asLong(0)) {
        newest = info;
      }
    }
    return newest != null
        && (newest.path("role").asText().equals("user")
            || !newest.path("time").has("completed")
            || newest.path("finish").asText().equals("tool-calls"));
  }

  /** Returns the states of the MCP servers by their names. */
  Map<String, String> servers() throws IOException, InterruptedException {
    Map<String, String> states = new LinkedHashMap<>();
    if (!launch.task().mcp().isEmpty()) {
      OpenCodeClient.ServerAnswer answer = server.get("/mcp");
      if (answer.ok() && answer.body() != null) {
        answer
            .body()
            .properties()
            .forEach(
                entry ->
                    states.put(entry.getKey(), entry.getValue().path("status").asText("unknown")));
      }
    }
    return states;
  }

  /** Sends a message, without parts to continue a turn. */
  void prompt(String id, ArrayNode parts) throws IOException, InterruptedException {
    ObjectNode message = Json.mapper().createObjectNode();
    message.putObject("model").put("providerID", model.provider()).put("modelID", model.model());
    if (!launch.task().system().isBlank() && !launch.task().interactive()) {
      message.put("system", launch.task().system());
    }
    if (!launch.task().outputSchema().isBlank()) {
      try {
        message
            .putObject("format")
            .put("type", "json_schema")
            .set("schema", Json.checkedTree(launch.task().outputSchema()));
      } catch (JsonProcessingException e) {
        throw new IOException("the output schema is not JSON: " + e.getOriginalMessage(), e);
      }
    }
    message.set("parts", parts);
    OpenCodeClient.ServerAnswer answer = server.post("/session/" + id + "/prompt_async", message);
    if (!answer.ok()) {
      throw new IOException("prompt_async: status " + answer.status() + ": " + answer.text());
    }
  }
}
