/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.retry.Backoff;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one server available: starts it, restores its state, starts it again when it dies, within
 * bounds, and captures its state. No request is repeated. Thread-safe.
 *
 * <pre>
 * starting --handshake, state restored--> ready --died--> starting (after a pause)
 * starting --failed, or died too often--> failed
 * any      --close--> closed
 * </pre>
 */
final class McpServer implements AutoCloseable {
  static final String RESTORE = "restore_checkpoint";
  private static final String STATE = "checkpoint://state";

  private final McpServerSpec spec;
  private final AgentProcessStarter starter;
  private final McpStateFolder folder;
  private final McpObserver observer;
  private CompletableFuture<McpSession> ready = new CompletableFuture<>();
  private int failures;
  private final CountDownLatch closing = new CountDownLatch(1);
  private @Nullable McpSession connected;
  private volatile @Nullable JsonNode restoreSchema;

  /** Why the running process has not the newest state; null when it has. */
  private volatile @Nullable String stateProblem;

  private volatile McpSession.@Nullable OpenRequest unanswered;

  McpServer(
      McpServerSpec spec,
      AgentProcessStarter starter,
      McpStateFolder folder,
      McpObserver observer) {
    this.spec = spec;
    this.starter = starter;
    this.folder = folder;
    this.observer = observer;
  }

  String name() {
    return spec.name();
  }

  /** Starts the server on a thread of its own; does not wait. */
  void begin() {
    Thread.ofVirtual().name("mcp-start " + name()).start(this::connect);
  }

  /** Waits until the server is ready, or has failed; returns after the bound in any case. */
  void awaitStart(Duration within) throws InterruptedException {
    try {
      future().get(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      note("has not started within %d s".formatted(within.toSeconds()));
    } catch (ExecutionException e) {
      // Noted already; the agent gets the error with its first request.
    }
  }

  private synchronized CompletableFuture<McpSession> future() {
    return ready;
  }

  /**
   * Returns the session with the server, after a start that is under way.
   *
   * @throws McpException when the server has failed, or does not start in time
   */
  McpSession session() throws McpException, InterruptedException {
    try {
      return future().get(McpLimits.START.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw McpException.notSent("server '%s' has not started yet".formatted(name()));
    } catch (ExecutionException e) {
      throw McpException.notSent(reason(e));
    }
  }

  /** Whether the agent may not use a tool: it is Baton's. */
  boolean isReserved(String tool) {
    return tool.equals(RESTORE) && restoreSchema != null;
  }

  Duration timeout() {
    return spec.timeout();
  }

  private void connect() {
    try {
      while (true) {
        String problem;
        try {
          folder.create(name());
          McpSession session = McpSession.open(name(), this::transport, McpLimits.START);
          restore(session);
          publish(session);
          return;
        } catch (McpException e) {
          problem = e.reason();
        } catch (IOException e) {
          problem = String.valueOf(e.getMessage());
        }
        if (!retries("cannot be started: " + problem)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private McpTransport transport(McpTransport.Receiver receiver) throws IOException {
    return switch (spec.target()) {
      case McpServerSpec.Program program ->
          StdioTransport.open(
              name(),
              starter.start(
                  new AgentProcessStarter.AgentCommand(
                      program.command(), program.environment(), program.directory())),
              receiver,
              line -> observer.printed(name(), line));
      case McpServerSpec.Remote remote ->
          new HttpTransport(
              name(),
              remote.url(),
              remote.headers(),
              remote.tls(),
              spec.timeout().plus(McpLimits.START),
              receiver);
    };
  }

  private void publish(McpSession session) {
    long begun = System.nanoTime();
    CompletableFuture<McpSession> waiting;
    synchronized (this) {
      if (isClosed()) {
        waiting = null;
      } else {
        connected = session;
        waiting = ready;
      }
    }
    if (waiting == null) {
      session.close();
      return;
    }
    waiting.complete(session);
    var unused =
        session
            .end()
            .thenAccept(
                reason ->
                    Thread.ofVirtual()
                        .name("mcp-restart " + name())
                        .start(() -> restart(session, reason, System.nanoTime() - begun)));
  }

  private void restart(McpSession session, String reason, long livedNanos) {
    synchronized (this) {
      if (isClosed() || connected != session) {
        return;
      }
      connected = null;
      ready = new CompletableFuture<>();
      if (livedNanos >= McpLimits.STEADY.toNanos()) {
        failures = 0;
      }
    }
    session.close();
    try {
      if (retries(reason)) {
        connect();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Pauses before the next start; false when there is none. */
  private boolean retries(String problem) throws InterruptedException {
    CompletableFuture<McpSession> waiting;
    int failed;
    synchronized (this) {
      failed = ++failures;
      waiting = ready;
    }
    if (failed > McpLimits.RESTARTS) {
      String message =
          "server '%s' has failed after %d starts: %s".formatted(name(), failed, problem);
      waiting.completeExceptionally(McpException.notSent(message));
      note(message);
      return false;
    }
    Duration pause = Backoff.delay(McpLimits.FIRST_PAUSE, McpLimits.MAX_PAUSE, failed);
    if (closing.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
      return false;
    }
    note("%s; starting it again (%d of %d)".formatted(problem, failed, McpLimits.RESTARTS));
    return true;
  }

  /** Finds out whether the server offers its state, and restores the newest one. */
  private void restore(McpSession session) throws InterruptedException {
    String problem = restored(session);
    stateProblem = problem == null ? null : "its state was not restored: " + problem;
    if (problem != null) {
      note("its state was not restored: " + problem);
    }
  }

  private @Nullable String restored(McpSession session) throws InterruptedException {
    try {
      restoreSchema = offer(session);
      Optional<JsonNode> state = restoreSchema == null ? Optional.empty() : folder.read(name());
      if (state.isEmpty()) {
        return null;
      }
      ObjectNode params = Json.mapper().createObjectNode().put("name", RESTORE);
      params.putObject("arguments").set("state", argument(state.get(), restoreSchema));
      JsonNode result = session.result("tools/call", params, McpLimits.OWN_REQUEST);
      return result.path("isError").asBoolean(false)
          ? result.path("content").path(0).path("text").asText("the server has refused it")
          : null;
    } catch (McpException e) {
      return e.reason();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Returns the schema of {@code restore_checkpoint}; null when the server has no state. */
  private @Nullable JsonNode offer(McpSession session) throws McpException, InterruptedException {
    JsonNode capabilities = session.initialized().path("capabilities");
    if (!capabilities.has("resources") || !capabilities.has("tools")) {
      return null;
    }
    boolean offered = false;
    for (JsonNode resource : session.list("resources/list", "resources", McpLimits.OWN_REQUEST)) {
      offered |= resource.path("uri").asText().equals(STATE);
    }
    if (!offered) {
      return null;
    }
    for (JsonNode tool : session.list("tools/list", "tools", McpLimits.OWN_REQUEST)) {
      if (tool.path("name").asText().equals(RESTORE)) {
        return tool.path("inputSchema");
      }
    }
    note("offers %s but no tool %s: its state is not captured".formatted(STATE, RESTORE));
    return null;
  }

  /** The text of the resource; parsed where the tool takes no text. */
  private static JsonNode argument(JsonNode state, @Nullable JsonNode schema) {
    JsonNode text = state.has("text") ? state.path("text") : state.path("blob");
    JsonNode type = schema == null ? null : schema.path("properties").path("state").path("type");
    if (type == null || type.isMissingNode() || type.toString().contains("\"string\"")) {
      return text;
    }
    try {
      return Json.mapper().readTree(text.asText());
    } catch (JsonProcessingException e) {
      return text;
    }
  }

  /**
   * Captures the state that the server offers, into its folder; without one there is nothing to do.
   * Bounded; the state of before is kept when it fails.
   *
   * @return why it failed; null when it has not
   */
  @Nullable String capture() throws InterruptedException {
    String problem = captured();
    if (problem != null) {
      note("its state was not captured: " + problem);
    }
    return problem;
  }

  private @Nullable String captured() throws InterruptedException {
    McpSession.OpenRequest before = unanswered;
    if (before != null && !before.answer().isDone()) {
      return "it has not answered the request of an earlier boundary";
    }
    unanswered = null;
    CompletableFuture<McpSession> now = future();
    McpSession session;
    try {
      session = now.get(McpLimits.CAPTURE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return "it is being started";
    } catch (ExecutionException e) {
      return reason(e);
    }
    String problem = stateProblem;
    if (problem != null || restoreSchema == null) {
      return problem;
    }
    McpSession.OpenRequest request =
        session.send(
            "resources/read", Json.mapper().createObjectNode().put("uri", STATE), progress -> {});
    try {
      return write(request.answer().get(McpLimits.CAPTURE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      unanswered = request;
      return "it has not answered within %d s".formatted(McpLimits.CAPTURE.toSeconds());
    } catch (ExecutionException e) {
      return reason(e);
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private @Nullable String write(JsonNode response) throws IOException {
    if (response.has("error")) {
      return response.path("error").path("message").asText();
    }
    JsonNode contents = response.path("result").path("contents");
    if (!(contents instanceof ArrayNode) || contents.size() != 1) {
      return "the resource has %d contents, not one".formatted(contents.size());
    }
    JsonNode content = contents.path(0);
    if (!content.path("text").isTextual() && !content.path("blob").isTextual()) {
      return "the resource has neither text nor blob";
    }
    folder.write(name(), content);
    return null;
  }

  private static String reason(ExecutionException e) {
    Throwable cause = e.getCause();
    if (cause instanceof McpException known) {
      return known.reason();
    }
    return cause == null ? e.toString() : String.valueOf(cause.getMessage());
  }

  private boolean isClosed() {
    return closing.getCount() == 0;
  }

  private void note(String text) {
    observer.noted(name(), text);
  }

  @Override
  public void close() {
    McpSession session;
    synchronized (this) {
      closing.countDown();
      session = connected;
      connected = null;
      ready.completeExceptionally(McpException.notSent("server '%s' is closed".formatted(name())));
    }
    if (session != null) {
      session.close();
    }
  }
}
