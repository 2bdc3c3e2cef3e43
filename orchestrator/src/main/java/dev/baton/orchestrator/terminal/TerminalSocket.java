/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import dev.baton.orchestrator.gateway.TerminalLink;
import dev.baton.orchestrator.identity.CallerStreamRegistry.OpenStream;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.grpc.TerminalInput;
import dev.baton.protocol.grpc.TerminalOutput;
import dev.baton.protocol.grpc.TerminalSize;
import dev.baton.protocol.json.Json;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * Passes the bytes of one terminal between a client's WebSocket and a runner's call. A side that
 * does not take its bytes stops the other one: what is on the way is bounded by the window of the
 * runner's call and {@link #MAX_INPUT}. Confined to the event loop of the WebSocket.
 */
final class TerminalSocket implements TerminalLink.Listener {
  /** The client is detached, or its step has ended; the reason of the close frame says which. */
  static final short NORMAL = 1000;

  /** The message of the client is not allowed, or its right has ended. */
  static final short NOT_ALLOWED = 1008;

  /** The runner is lost, or the client cannot be served here any more. */
  static final short LOST = 1011;

  private static final Logger LOG = Logger.getLogger(TerminalSocket.class);

  /** Bytes from the client that the screen has not taken; it is read no further then. */
  private static final int MAX_INPUT = 64 << 10;

  /** Bytes of one message from the client. */
  private static final int MAX_MESSAGE = 32 << 10;

  /** Proxies end connections that are silent; a client answers each ping. */
  private static final long PING_MILLIS = 20_000;

  private final Vertx vertx;
  private final Context loop;
  private final ServerWebSocket socket;
  private final TerminalLink link;
  private long waitingInput;
  private boolean paused;
  private boolean answered = true;
  private boolean closed;

  private TerminalSocket(Vertx vertx, Context loop, ServerWebSocket socket, TerminalLink link) {
    this.vertx = vertx;
    this.loop = loop;
    this.socket = socket;
    this.link = link;
  }

  /**
   * Connects both; called on the event loop of the WebSocket.
   *
   * @param register registers what ends the terminal with a reason
   */
  static void connect(
      Vertx vertx,
      Context loop,
      ServerWebSocket socket,
      TerminalLink link,
      Function<Consumer<ProblemException>, OpenStream> register) {
    TerminalSocket terminal = new TerminalSocket(vertx, loop, socket, link);
    OpenStream open = register.apply(terminal::refused);
    long pings = vertx.setPeriodic(PING_MILLIS, timer -> terminal.ping());
    socket.binaryMessageHandler(terminal::typed);
    socket.textMessageHandler(terminal::commanded);
    socket.pongHandler(pong -> terminal.answered = true);
    socket.exceptionHandler(failure -> LOG.debugf("terminal: its connection failed: %s", failure));
    socket.closeHandler(
        none -> {
          vertx.cancelTimer(pings);
          open.close();
          terminal.closed = true;
          link.close();
        });
    link.listen(terminal);
  }

  private void ping() {
    if (!answered) {
      LOG.infof("terminal: its client has not answered for %d s, detached", PING_MILLIS / 1_000);
      close(LOST, "no answer to a ping");
      return;
    }
    answered = false;
    socket.writePing(Buffer.buffer("baton"));
  }

  private void typed(Buffer bytes) {
    if (bytes.length() > MAX_MESSAGE) {
      close(NOT_ALLOWED, "a message may have at most " + MAX_MESSAGE + " bytes");
      return;
    }
    if (bytes.length() == 0) {
      return;
    }
    waitingInput += bytes.length();
    if (waitingInput > MAX_INPUT && !paused) {
      paused = true;
      socket.pause();
    }
    link.send(TerminalInput.newBuilder().setData(ByteString.copyFrom(bytes.getBytes())).build());
  }

  /** Handles {@code {"columns": 80, "rows": 24}}: the size of the client's window. */
  private void commanded(String text) {
    JsonNode command;
    try {
      command = Json.checkedTree(text);
    } catch (JsonProcessingException e) {
      close(NOT_ALLOWED, "a text message must be JSON");
      return;
    }
    int columns = command.path("columns").asInt();
    int rows = command.path("rows").asInt();
    if (columns < 1
        || rows < 1
        || columns > TerminalRoute.MAX_SIDE
        || rows > TerminalRoute.MAX_SIDE) {
      close(NOT_ALLOWED, "columns and rows must be 1 to " + TerminalRoute.MAX_SIDE);
      return;
    }
    link.send(
        TerminalInput.newBuilder()
            .setSize(TerminalSize.newBuilder().setColumns(columns).setRows(rows))
            .build());
  }

  @Override
  public void on(TerminalOutput message) {
    loop.runOnContext(none -> show(message));
  }

  private void show(TerminalOutput message) {
    if (closed) {
      return;
    }
    switch (message.getMessageCase()) {
      case DATA -> {
        int bytes = message.getData().size();
        socket
            .writeBinaryMessage(Buffer.buffer(message.getData().toByteArray()))
            .onSuccess(written -> link.send(TerminalInput.newBuilder().setConsumed(bytes).build()));
      }
      case CONSUMED -> {
        waitingInput -= message.getConsumed();
        if (paused && waitingInput <= MAX_INPUT) {
          paused = false;
          socket.resume();
        }
      }
      case CLOSED -> close(NORMAL, message.getClosed().getReason());
      case OPENED, REFUSED, MESSAGE_NOT_SET ->
          LOG.warnf("terminal: message %s ignored", message.getMessageCase());
    }
  }

  @Override
  public void ended() {
    loop.runOnContext(none -> close(LOST, "the connection to the runner has ended"));
  }

  private void refused(ProblemException problem) {
    short code = problem.kind() == ProblemKind.UNAUTHENTICATED ? NOT_ALLOWED : LOST;
    loop.runOnContext(none -> close(code, String.valueOf(problem.getMessage())));
  }

  private void close(short code, String reason) {
    if (!closed) {
      closed = true;
      socket.close(code, reason);
      link.close();
    }
  }
}
