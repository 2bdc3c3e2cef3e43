/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.claude;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentSession;
import dev.baton.agent.process.FollowedScreenSession;
import java.io.IOException;

/**
 * Claude Code on a screen, which people end. Its events are those of the rows in its transcript,
 * and its final text is the last one there.
 */
final class ClaudeScreenSession extends FollowedScreenSession {
  /** The model of rows that the program itself has written. */
  private static final String SYNTHETIC = "<synthetic>";

  private final ClaudeEventReader events;
  private String answer = "";

  private ClaudeScreenSession(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      ClaudeTranscriptFollower transcript) {
    super(process, listener, launch, transcript);
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
    AgentProcessStarter.AgentCommand command =
        new AgentProcessStarter.AgentCommand(
            home.screenArguments(launch, id, resumes),
            home.environment(launch),
            launch.folders().workspace());
    ClaudeTranscriptFollower transcript = ClaudeTranscriptFollower.open(home.transcript(id));
    ClaudeScreenSession session =
        new ClaudeScreenSession(start(starter, command, transcript), listener, launch, transcript);
    session.locked(() -> session.started(id, "claude"));
    session.beginFollowing();
    return session;
  }

  @Override
  protected void row(JsonNode row) {
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

  @Override
  protected String answer() {
    return answer;
  }
}
