/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentEvent;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.process.OutputLineReader;
import dev.baton.agent.process.ProcessAgentSession;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;

/** A session of OpenCode whose server the driver reaches: what is the same with a screen. */
abstract class OpenCodeServerSession extends ProcessAgentSession {
  /** From the start of the process to the session. */
  static final Duration START_BOUND = Duration.ofSeconds(120);

  /** The longest event; the server shortens outputs of tools. */
  private static final int MAX_EVENT = 16 << 20;

  private static final String DATA = "data:";

  private final AgentLaunch launch;
  private final OpenCodeEventReader events;
  private String session = "";
  private boolean begun;

  OpenCodeServerSession(AgentProcess process, AgentListener listener, AgentLaunch launch) {
    super(process, listener);
    this.launch = launch;
    this.events = new OpenCodeEventReader(this::emit);
  }

  /** A request to the server, from a thread of its own. */
  @FunctionalInterface
  interface ServerRequest {
    void run() throws IOException, InterruptedException;
  }

  /** Takes an event, after {@link #events} has; not called for one that is garbage. */
  abstract void happened(String type, JsonNode properties);

  /** Whether an event is a question of the program, which does not count as work. */
  abstract boolean isQuestion(String type);

  final OpenCodeEventReader events() {
    return events;
  }

  /** The session's id; empty before {@link #started}. */
  final String session() {
    return session;
  }

  final boolean isBegun() {
    return begun;
  }

  final void fail(String message) {
    endNow(AgentEnd.Kind.FAILED, message);
  }

  /** Runs a request; its failure ends the session. */
  final void attempt(String what, ServerRequest request) {
    try {
      request.run();
    } catch (OpenCodeSessionOpener.RefusedException e) {
      locked(() -> endNow(AgentEnd.Kind.SESSION_REFUSED, String.valueOf(e.getMessage())));
    } catch (IOException e) {
      locked(() -> fail(what + ": " + e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      locked(() -> fail(what + ": interrupted"));
    }
  }

  /** Fails the session when it does not begin within {@link #START_BOUND}. */
  final void limitStart() {
    later(
        START_BOUND,
        () -> {
          if (!begun) {
            fail("the server has not opened its session within " + START_BOUND.toSeconds() + " s");
          }
        });
  }

  final void started(JsonNode info, Map<String, String> servers) {
    begun = true;
    session = info.path("id").asText();
    events.main(session);
    emit(
        new AgentEvent.SessionStarted(
            session, "opencode", launch.program().version(), launch.model().model(), servers));
  }

  /** Reads events until the server ends them. */
  final void read(InputStream stream) {
    try (stream) {
      OutputLineReader reader = new OutputLineReader(stream, MAX_EVENT);
      for (OutputLineReader.OutputLine next = reader.next(); next != null; next = reader.next()) {
        OutputLineReader.OutputLine line = next;
        if (line.text().startsWith(DATA)) {
          locked(() -> event(line));
        }
      }
    } catch (IOException e) {
      // The server has ended, or this session has closed the stream.
    }
  }

  private void event(OutputLineReader.OutputLine line) {
    String text = line.text().substring(DATA.length());
    if (line.dropped() > 0) {
      unknown("too_long", text);
      return;
    }
    JsonNode json;
    try {
      json = Json.mapper().readTree(text);
    } catch (JsonProcessingException e) {
      unknown("garbage", text);
      return;
    }
    String type = json.path("type").asText();
    JsonNode properties = json.path("properties");
    if (!isQuestion(type) && !events.happened(type, properties)) {
      unknown(type, text);
    } else {
      happened(type, properties);
    }
  }
}
