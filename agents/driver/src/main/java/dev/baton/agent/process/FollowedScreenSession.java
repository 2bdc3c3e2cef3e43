/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import java.io.IOException;
import java.util.Map;

/**
 * A program on a screen, which people end. Its events are those of the rows in its session file,
 * and its final text is the last one there.
 */
public abstract class FollowedScreenSession extends ProcessAgentSession {
  private final AgentLaunch launch;
  private final SessionFileFollower file;
  private boolean begun;

  /**
   * @param file is closed at the end of the session
   */
  protected FollowedScreenSession(
      AgentProcess process, AgentListener listener, AgentLaunch launch, SessionFileFollower file) {
    super(process, listener);
    this.launch = launch;
    this.file = file;
  }

  /** Starts the program; closes the file when it does not start. */
  protected static AgentProcess start(
      AgentProcessStarter starter,
      AgentProcessStarter.AgentCommand command,
      SessionFileFollower file)
      throws IOException {
    try {
      return starter.start(command);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** Takes a row that was appended to the session file. */
  protected abstract void row(JsonNode row);

  /** Returns the newest text of the agent. */
  protected abstract String answer();

  /** Follows the file until the session ends. */
  protected final void beginFollowing() {
    closeInput();
    Thread.ofVirtual().name("session-file").start(this::follow);
    end().thenRun(this::close);
    begin();
  }

  protected final void started(String id, String use) {
    emit(
        new AgentEvent.SessionStarted(
            id, use, launch.program().version(), launch.model().model(), Map.of()));
  }

  private void follow() {
    while (file.await()) {
      locked(this::read);
    }
  }

  private void read() {
    try {
      file.read(
          row -> {
            begun = true;
            row(row);
          });
    } catch (IOException e) {
      emit(new AgentEvent.Notice("the session file cannot be read: " + e));
    }
  }

  private void close() {
    try {
      file.close();
    } catch (IOException e) {
      emit(new AgentEvent.Notice("the session file cannot be closed: " + e));
    }
  }

  /** Never expected: nothing reads its standard output but its terminal. */
  @Override
  protected final void line(JsonNode line) {
    unknown("output", line.toString());
  }

  @Override
  protected final AgentEnd end(int exit, String errors) {
    read();
    return ScreenEnd.of(launch, begun, answer(), exit, errors);
  }

  @Override
  protected final void requestStop() {
    process().terminate();
  }
}
