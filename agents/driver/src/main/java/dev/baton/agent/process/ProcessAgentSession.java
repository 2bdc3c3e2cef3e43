/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentSession;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A session with a process that writes lines. Subclasses translate lines to events and name the
 * end; everything of theirs runs under the lock of the session, one thread at a time.
 */
public abstract class ProcessAgentSession implements AgentSession {
  /** The longest line; agents send images and files in one. */
  private static final int MAX_LINE = 16 << 20;

  private static final int MAX_ERROR_LINE = 16_384;
  private static final int MOST_ERROR_LINES = 20;

  /** Exit codes beyond it are those of a signal. */
  private static final int SIGNALLED = 128;

  private static final Duration INTERRUPT_BOUND = Duration.ofSeconds(10);

  /** After its exit: children of the process may keep its outputs open. */
  private static final Duration OUTPUT_BOUND = Duration.ofSeconds(2);

  private final AgentListener listener;
  private final SignalledProcess process;
  private final StdinWriter stdin;
  private final CompletableFuture<AgentEnd> end = new CompletableFuture<>();
  private final UnknownLineCounter unknown = new UnknownLineCounter();
  private final Deque<String> errors = new ArrayDeque<>();
  private final Object lock = new Object();
  private volatile String id = "";
  private volatile boolean stopped;
  private @Nullable AgentEnd decided;
  private boolean ended;

  protected ProcessAgentSession(AgentProcess process, AgentListener listener) {
    this.process = new SignalledProcess(process);
    this.listener = listener;
    this.stdin = new StdinWriter(process.stdin());
  }

  /** Begins to read the outputs; the last call of a factory. */
  protected final void begin() {
    CompletableFuture<Void> out = new CompletableFuture<>();
    CompletableFuture<Void> err = new CompletableFuture<>();
    Thread.ofVirtual().name("agent-stdout").start(() -> readOutput(out));
    Thread.ofVirtual().name("agent-stderr").start(() -> readErrors(err));
    process
        .onExit()
        .handle((exit, problem) -> exit == null ? -1 : exit)
        .thenCompose(
            exit ->
                CompletableFuture.allOf(out, err)
                    .completeOnTimeout(null, OUTPUT_BOUND.toMillis(), TimeUnit.MILLISECONDS)
                    .thenRunAsync(() -> finish(exit)));
  }

  /** Whether lines are JSON objects; else each one is a text. */
  protected boolean readsJson() {
    return true;
  }

  /** A whole line of the output, as JSON. */
  protected abstract void line(JsonNode line);

  /** A line of the output that is not a JSON object. */
  protected void text(String line) {
    unknown("garbage", line);
  }

  /**
   * The end, when neither {@link #decide} nor a kill has named it.
   *
   * @param errors last lines of stderr
   */
  protected AgentEnd end(int exit, String errors) {
    return new AgentEnd(
        AgentEnd.Kind.FAILED,
        "",
        exit,
        ("the agent ended within its turn, exit code " + exit + ": " + errors).strip());
  }

  /** Requests the agent to stop; a kill follows when it does not. */
  protected abstract void requestStop();

  private void readOutput(CompletableFuture<Void> done) {
    try {
      OutputLineReader reader = new OutputLineReader(process.stdout(), MAX_LINE);
      for (OutputLineReader.OutputLine next = reader.next(); next != null; next = reader.next()) {
        OutputLineReader.OutputLine line = next;
        locked(() -> take(line));
      }
    } catch (IOException e) {
      locked(() -> emit(new AgentEvent.Notice("output of the agent: cannot be read: " + e)));
    } finally {
      done.complete(null);
    }
  }

  private void take(OutputLineReader.OutputLine line) {
    if (line.dropped() > 0) {
      unknown("too_long", line.text());
      return;
    }
    if (line.text().isBlank()) {
      return;
    }
    JsonNode json = readsJson() ? parsed(line.text()) : null;
    if (json == null) {
      text(line.text());
    } else {
      line(json);
    }
  }

  private static @Nullable JsonNode parsed(String line) {
    if (!line.startsWith("{")) {
      return null;
    }
    try {
      JsonNode json = Json.mapper().readTree(line);
      return json.isObject() ? json : null;
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private void readErrors(CompletableFuture<Void> done) {
    try {
      OutputLineReader reader = new OutputLineReader(process.stderr(), MAX_ERROR_LINE);
      for (OutputLineReader.OutputLine next = reader.next(); next != null; next = reader.next()) {
        String line = next.text();
        locked(() -> error(line));
      }
    } catch (IOException e) {
      locked(() -> error("stderr cannot be read: " + e));
    } finally {
      done.complete(null);
    }
  }

  private void error(String line) {
    if (line.isBlank()) {
      return;
    }
    errors.add(TextShortener.shorten(line, 500));
    if (errors.size() > MOST_ERROR_LINES) {
      errors.removeFirst();
    }
    emit(new AgentEvent.Notice("stderr: " + line));
  }

  /** Runs a part of the session alone, unless it has ended; a fault of it ends the session. */
  protected final void locked(Runnable part) {
    synchronized (lock) {
      if (ended) {
        return;
      }
      try {
        part.run();
      } catch (RuntimeException e) {
        endNow(AgentEnd.Kind.FAILED, "the session cannot be followed: " + e);
      }
    }
  }

  /** Runs {@link #locked} after a delay. */
  protected final void later(Duration delay, Runnable part) {
    CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS)
        .execute(() -> locked(part));
  }

  private void finish(int exit) {
    AgentEnd result;
    synchronized (lock) {
      if (ended) {
        return;
      }
      String tail = String.join("\n", errors);
      try {
        result = named(exit, tail);
      } catch (RuntimeException e) {
        result = new AgentEnd(AgentEnd.Kind.FAILED, "", exit, e.toString());
      }
      ended = true;
    }
    stdin.close();
    end.complete(result);
  }

  private AgentEnd named(int exit, String tail) {
    boolean died = exit > SIGNALLED && !process.isSignalled();
    AgentEnd known = decided;
    if (known != null && !(died && known.kind() == AgentEnd.Kind.FAILED)) {
      return known.withExit(exit);
    }
    if (died) {
      String why = "killed by signal " + (exit - SIGNALLED);
      return new AgentEnd(AgentEnd.Kind.DIED, "", exit, tail.isEmpty() ? why : why + ": " + tail);
    }
    return stopped
        ? new AgentEnd(AgentEnd.Kind.KILLED, "", exit, "the agent was stopped")
        : end(exit, tail);
  }

  /** Names the end; the first call counts. */
  protected final void decide(AgentEnd.Kind kind, String text, String message) {
    if (decided == null) {
      decided = new AgentEnd(kind, text, -1, message);
    }
  }

  /** Names the end and kills the process. */
  protected final void endNow(AgentEnd.Kind kind, String message) {
    decide(kind, "", message);
    process.kill();
  }

  /** Reports an event. */
  protected final void emit(AgentEvent event) {
    if (event instanceof AgentEvent.SessionStarted started) {
      id = started.sessionId();
    }
    listener.happened(event);
  }

  /** Counts a line that is not understood. */
  protected final void unknown(String kind, String line) {
    AgentEvent.UnknownLine event = unknown.count(kind, line);
    if (event != null) {
      emit(event);
    }
  }

  protected final AgentListener listener() {
    return listener;
  }

  /** Whether the session was requested to stop. */
  protected final boolean isStopped() {
    return stopped;
  }

  /** Sends a line of JSON. */
  protected final void send(ObjectNode message) {
    send(message + "\n");
  }

  /** Sends text as it is. */
  protected final void send(String text) {
    if (!stdin.send(text.getBytes(StandardCharsets.UTF_8))) {
      endNow(AgentEnd.Kind.FAILED, "the agent does not read its input");
    }
  }

  /** Closes the agent's input when everything before is written. */
  protected final void closeInput() {
    stdin.close();
  }

  /** Requests the process to end; kills it after {@code bound}. */
  protected final void endWithin(Duration bound) {
    CompletableFuture.delayedExecutor(bound.toMillis(), TimeUnit.MILLISECONDS)
        .execute(
            () -> {
              if (!end.isDone()) {
                process.kill();
              }
            });
  }

  /** The process, for signals. */
  protected final AgentProcess process() {
    return process;
  }

  @Override
  public final String id() {
    return id;
  }

  @Override
  public final void interrupt() {
    stopped = true;
    locked(this::requestStop);
    endWithin(INTERRUPT_BOUND);
  }

  @Override
  public final void kill() {
    stopped = true;
    process.kill();
  }

  @Override
  public final CompletableFuture<AgentEnd> end() {
    return end;
  }
}
