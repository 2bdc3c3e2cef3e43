/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.AgentEnd;
import dev.baton.agent.AgentLaunch;
import dev.baton.agent.AgentListener;
import dev.baton.agent.AgentProcess;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.AgentSession;
import dev.baton.agent.AgentStart;
import dev.baton.agent.process.ScreenEnd;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * OpenCode on a screen, which people end. Its events are those of the server that it runs in its
 * own process, and its final text is the last one there.
 */
final class OpenCodeScreenSession extends OpenCodeServerSession {
  /** The server lets requests wait forever that it gets too early. */
  private static final Duration CONNECT_BOUND = Duration.ofSeconds(2);

  private static final long RETRY_MILLIS = 200;

  private final AgentLaunch launch;
  private final OpenCodeHome home;
  private final OpenCodeClient server;
  private final ArrayNode prompt;
  private final long startedAt;

  private OpenCodeScreenSession(
      AgentProcess process,
      AgentListener listener,
      AgentLaunch launch,
      OpenCodeHome home,
      OpenCodeClient server,
      ArrayNode prompt,
      long startedAt) {
    super(process, listener, launch);
    this.launch = launch;
    this.home = home;
    this.server = server;
    this.prompt = prompt;
    this.startedAt = startedAt;
  }

  /**
   * Starts the program.
   *
   * @param home prepared for the launch
   */
  static AgentSession begin(
      OpenCodeHome home, AgentLaunch launch, AgentProcessStarter starter, AgentListener listener)
      throws IOException {
    String password = UUID.randomUUID().toString();
    int port = freePort();
    ArrayNode prompt = OpenCodeSession.prompt(launch);
    long startedAt = System.currentTimeMillis();
    AgentProcess process =
        starter.start(
            new AgentProcessStarter.AgentCommand(
                OpenCodeHome.screenArguments(launch, port),
                home.environment(launch, password),
                launch.folders().workspace()));
    OpenCodeClient server = new OpenCodeClient(URI.create("http://127.0.0.1:" + port), password);
    OpenCodeScreenSession session =
        new OpenCodeScreenSession(process, listener, launch, home, server, prompt, startedAt);
    session.closeInput();
    session.limitStart();
    session.end().whenComplete((_, _) -> server.close());
    Thread.ofVirtual().name("opencode-screen").start(session::connect);
    session.begin();
    return session;
  }

  /** A port that is free now: without one the program runs no server that others can reach. */
  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }

  /** Follows the events until the process ends; opens the session in addition. */
  private void connect() {
    attempt(
        "following the screen",
        () -> {
          InputStream stream = events(START_BOUND);
          Thread.ofVirtual().name("opencode-start").start(this::open);
          while (stream != null) {
            read(stream);
            stream = events(START_BOUND);
          }
        });
  }

  /**
   * Opens the stream of events as soon as the server has begun.
   *
   * @return null when the process has ended
   */
  private @Nullable InputStream events(Duration bound) throws IOException, InterruptedException {
    long until = System.nanoTime() + bound.toNanos();
    while (!end().isDone()) {
      try {
        return server.events(CONNECT_BOUND);
      } catch (IOException e) {
        if (System.nanoTime() > until) {
          throw e;
        }
      }
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }
    return null;
  }

  private void open() {
    attempt(
        "opening the session",
        () -> {
          OpenCodeSessionOpener opener =
              new OpenCodeSessionOpener(server, launch, home, OpenCodeHome.model(launch));
          JsonNode info = opener.openOnScreen(startedAt);
          String id = info.path("id").asText();
          Map<String, String> servers = opener.servers();
          boolean prompted = isPromptedByArgument();
          JsonNode messages = opener.messages(id);
          locked(
              () -> {
                started(info, servers);
                if (prompted) {
                  catchUp(messages);
                }
              });
          if (!prompted && (!prompt.isEmpty() || OpenCodeSessionOpener.hasOpenTurn(messages))) {
            opener.prompt(id, prompt);
          }
        });
  }

  private boolean isPromptedByArgument() {
    return launch.start() instanceof AgentStart.Fresh
        || launch.start() instanceof AgentStart.Fallback;
  }

  /** Reads what a new session had before its events were followed. */
  private void catchUp(JsonNode messages) {
    for (JsonNode message : messages) {
      ObjectNode info = Json.mapper().createObjectNode();
      events().happened("message.updated", info.set("info", message.path("info")));
      for (JsonNode part : message.path("parts")) {
        ObjectNode update = Json.mapper().createObjectNode();
        events().happened("message.part.updated", update.set("part", part));
      }
    }
  }

  /** People answer it on the screen. */
  @Override
  boolean isQuestion(String type) {
    return type.startsWith("permission.") || type.startsWith("question.");
  }

  @Override
  void happened(String type, JsonNode properties) {
    // A turn that ends, or fails, ends nothing: people send the next prompt.
  }

  /** Never expected: nothing reads its standard output but its terminal. */
  @Override
  protected void line(JsonNode line) {
    unknown("output", line.toString());
  }

  @Override
  protected AgentEnd end(int exit, String errors) {
    return ScreenEnd.of(launch, isBegun(), events().finalText(), exit, errors);
  }

  @Override
  protected void requestStop() {
    process().terminate();
  }
}
