/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.codex;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentSession;
import dev.baton.agent.process.FollowedScreenSession;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Codex on a screen, which people end. Its events are those of the rows in its rollout, and its
 * final text is the last one there. The id of a new session is the one of the first rollout that
 * appears.
 */
final class CodexScreenSession extends FollowedScreenSession {
  private final CodexRolloutEventReader events;

  private CodexScreenSession(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      CodexRolloutFollower rollout) {
    super(process, listener, launch, rollout);
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
    AgentProcessStarter.AgentCommand command =
        new AgentProcessStarter.AgentCommand(
            home.screenArguments(launch, resumed),
            home.environment(launch),
            launch.folders().workspace());
    CodexRolloutFollower rollout =
        resumed == null
            ? CodexRolloutFollower.ofNew(home.sessions())
            : CodexRolloutFollower.ofResumed(home.sessions(), resumed);
    CodexScreenSession session =
        new CodexScreenSession(start(starter, command, rollout), listener, launch, rollout);
    String id = launch.start().resumedSession();
    if (id != null) {
      session.locked(() -> session.started(id, "codex"));
    }
    session.beginFollowing();
    return session;
  }

  @Override
  protected void row(JsonNode row) {
    if (row.path("type").asText().equals("session_meta") && id().isEmpty()) {
      started(row.at("/payload/id").asText(), "codex");
    } else {
      events.row(row);
    }
  }

  @Override
  protected String answer() {
    return events.answer();
  }
}
