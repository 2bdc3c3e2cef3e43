/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.Map;

/**
 * Claude Code on a screen, which people end. Its events are those of the rows in its transcript,
 * and its final text is the last one there.
 */
final class ClaudeScreenSession extends ProcessAgentSession {
  /** The model of rows that the program itself has written. */
  private static final String SYNTHETIC = "<synthetic>";

  private final AgentLaunch launch;
  private final ClaudeTranscriptFollower transcript;
  private final ClaudeEventReader events;
  private boolean begun;
  private String answer = "";

  private ClaudeScreenSession(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      ClaudeTranscriptFollower transcript) {
    super(process, listener);
    this.launch = launch;
    this.transcript = transcript;
    this.events = new ClaudeEventReader(this::emit);
  }

  /**
   * Starts the program.
   *
   * @param home prepared for the launch
   * @param id of its session
   */
  static AgentSession begin(
      ClaudeHome home,
      AgentLaunch launch,
      String id,
      AgentProcessStarter starter,
      AgentListener listener)
      throws IOException {
    boolean resumes = launch.start().resumedSession() != null;
    ClaudeTranscriptFollower transcript = ClaudeTranscriptFollower.open(home.transcript(id));
    AgentProcess process;
    try {
      process =
          starter.start(
              new AgentProcessStarter.AgentCommand(
                  home.screenArguments(launch, id, resumes),
                  home.environment(launch),
                  launch.folders().workspace()));
    } catch (IOException | RuntimeException | Error e) {
      transcript.close();
      throw e;
    }
    ClaudeScreenSession session = new ClaudeScreenSession(process, listener, launch, transcript);
    session.locked(
        () ->
            session.emit(
                new AgentEvent.SessionStarted(
                    id, "claude", launch.program().version(), launch.model().model(), Map.of())));
    session.closeInput();
    Thread.ofVirtual().name("claude-transcript").start(session::follow);
    session.end().thenRun(session::close);
    session.begin();
    return session;
  }

  private void follow() {
    while (transcript.await()) {
      locked(this::read);
    }
  }

  private void read() {
    try {
      transcript.read(this::row);
    } catch (IOException e) {
      emit(new AgentEvent.Notice("the transcript cannot be read: " + e));
    }
  }

  private void close() {
    try {
      transcript.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void row(JsonNode row) {
    begun = true;
    if (row.path("subtype").asText().equals("compact_boundary")) {
      JsonNode meta = row.path("compactMetadata");
      emit(
          new AgentEvent.Compacted(
              meta.path("trigger").asText("auto"), meta.path("preTokens").asLong(0)));
      return;
    }
    if (!ClaudeTranscript.isOfTheSession(row) || !(row instanceof ObjectNode line)) {
      return;
    }
    if (row.path("type").asText().equals("user")) {
      if (row.has("toolUseResult")) {
        line.set("tool_use_result", row.path("toolUseResult"));
      }
      events.user(line);
    } else if (!row.at("/message/model").asText().equals(SYNTHETIC)) {
      for (JsonNode block : row.at("/message/content")) {
        answer = block.path("type").asText().equals("text") ? block.path("text").asText() : answer;
      }
      events.assistant(line);
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
      return new AgentEnd(AgentEnd.Kind.COMPLETED, answer, exit, "");
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
