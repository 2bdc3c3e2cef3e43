/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentSession;
import dev.baton.agent.process.ProcessAgentSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Codex on a screen, which people end. Its events are those of the rows in its rollout, and its
 * final text is the last one there. The id of a new session is the one of the first rollout that
 * appears.
 */
final class CodexScreenSession extends ProcessAgentSession {
  private final AgentLaunch launch;
  private final CodexRolloutFollower rollout;
  private final CodexRolloutEventReader events;
  private boolean begun;

  private CodexScreenSession(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      CodexRolloutFollower rollout) {
    super(process, listener);
    this.launch = launch;
    this.rollout = rollout;
    this.events = new CodexRolloutEventReader(new CodexEventReader(this::emit));
  }

  /**
   * Starts the program.
   *
   * @param home prepared for the launch
   * @param resumed rollout of the session that is resumed; null for a new one
   */
  static AgentSession begin(
      CodexHome home,
      AgentLaunch launch,
      @Nullable Path resumed,
      AgentProcessStarter starter,
      AgentListener listener)
      throws IOException {
    CodexRolloutFollower rollout =
        resumed == null
            ? CodexRolloutFollower.ofNew(home.sessions())
            : CodexRolloutFollower.ofResumed(home.sessions(), resumed);
    AgentProcess process;
    try {
      process =
          starter.start(
              new AgentProcessStarter.AgentCommand(
                  home.screenArguments(launch, resumed),
                  home.environment(launch),
                  launch.folders().workspace()));
    } catch (IOException | RuntimeException | Error e) {
      rollout.close();
      throw e;
    }
    CodexScreenSession session = new CodexScreenSession(process, listener, launch, rollout);
    String id = launch.start().resumedSession();
    if (id != null) {
      session.locked(() -> session.started(id));
    }
    session.closeInput();
    Thread.ofVirtual().name("codex-rollout").start(session::follow);
    session.end().thenRun(session::close);
    session.begin();
    return session;
  }

  private void started(String id) {
    emit(
        new AgentEvent.SessionStarted(
            id, "codex", launch.program().version(), launch.model().model(), Map.of()));
  }

  private void follow() {
    while (rollout.await()) {
      locked(this::read);
    }
  }

  private void read() {
    try {
      rollout.read(this::row);
    } catch (IOException e) {
      emit(new AgentEvent.Notice("the rollout cannot be read: " + e));
    }
  }

  private void close() {
    try {
      rollout.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void row(JsonNode row) {
    begun = true;
    if (row.path("type").asText().equals("session_meta") && id().isEmpty()) {
      started(row.at("/payload/id").asText());
    } else {
      events.row(row);
    }
  }

  /** Never expected: nothing reads its standard output but its terminal. */
  @Override
  protected void line(JsonNode line) {
    unknown("output", line.toString());
  }

  @Override
  protected AgentEnd end(int exit, String errors) {
    read();
    if (exit == 0) {
      return new AgentEnd(AgentEnd.Kind.COMPLETED, events.answer(), exit, "");
    }
    boolean refused = launch.start().resumedSession() != null && !begun;
    return new AgentEnd(
        refused ? AgentEnd.Kind.SESSION_REFUSED : AgentEnd.Kind.FAILED,
        "",
        exit,
        ("the agent ended with exit code " + exit + ", its screen had the reason: " + errors)
            .strip());
  }

  @Override
  protected void requestStop() {
    process().terminate();
  }
}
