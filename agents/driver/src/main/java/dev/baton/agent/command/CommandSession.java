/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.process.ProcessAgentSession;
import dev.baton.protocol.json.TextShortener;
import java.util.Map;

/** A running program: its lines are text. */
final class CommandSession extends ProcessAgentSession {
  /** Of a longer output the end is kept, in characters. */
  private static final int MOST_OUTPUT = 1 << 20;

  private final StringBuilder output = new StringBuilder();

  private CommandSession(AgentProcess process, AgentListener listener) {
    super(process, listener);
  }

  static CommandSession begin(
      AgentProcess process, AgentListener listener, String id, AgentLaunch launch, String prompt) {
    CommandSession session = new CommandSession(process, listener);
    session.locked(
        () ->
            session.emit(
                new AgentEvent.SessionStarted(
                    id,
                    launch.program().command().getFirst(),
                    launch.program().version(),
                    launch.model().model(),
                    Map.of())));
    session.send(prompt);
    session.closeInput();
    session.begin();
    return session;
  }

  @Override
  protected boolean readsJson() {
    return false;
  }

  @Override
  protected void line(JsonNode line) {
    text(line.toString());
  }

  @Override
  protected void text(String line) {
    output.append(line).append('\n');
    if (output.length() > 2 * MOST_OUTPUT) {
      output.delete(0, output.length() - MOST_OUTPUT);
    }
    emit(new AgentEvent.AssistantText(TextShortener.shorten(line, AgentEvent.MOST_TEXT), ""));
  }

  @Override
  protected AgentEnd end(int exit, String errors) {
    int from = Math.max(0, output.length() - MOST_OUTPUT);
    String text = output.substring(from).strip();
    return exit == 0
        ? new AgentEnd(AgentEnd.Kind.COMPLETED, text, exit, "")
        : new AgentEnd(
            AgentEnd.Kind.FAILED, text, exit, ("exit code " + exit + ": " + errors).strip());
  }

  @Override
  protected void requestStop() {
    process().terminate();
  }
}
