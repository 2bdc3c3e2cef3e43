/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.baton.gateway.upstream.UpstreamFailure;
import dev.baton.gateway.wire.MalformedAnswerException;
import dev.baton.gateway.wire.ModelRequest;
import dev.baton.gateway.wire.SseEvent;
import dev.baton.gateway.wire.WireForm;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/**
 * Gives one answer to one request of an agent. While there is nothing to give, a stream is kept
 * alive in the way of its form. Used by one thread.
 */
final class AnswerDelivery {
  private static final long POLL_MILLIS = 1_000;

  private final HttpExchange exchange;
  private final WireForm form;
  private final ModelRequest request;
  private final AnswerOccurrence occurrence;
  private final StallGuard stalls;
  private final Duration stall;
  private final Duration silence;
  private boolean begun;
  private boolean opened;
  private long lastWrite = System.nanoTime();

  AnswerDelivery(
      HttpExchange exchange,
      WireForm form,
      ModelRequest request,
      AnswerOccurrence occurrence,
      StallGuard stalls,
      GatewayConfig config) {
    this.exchange = exchange;
    this.form = form;
    this.request = request;
    this.occurrence = occurrence;
    this.stalls = stalls;
    this.stall = config.agentStall();
    this.silence = config.silence();
  }

  /**
   * Gives the answer.
   *
   * @throws IOException when the agent does not read, or the answer broke off: the server closes
   *     the connection
   */
  void run() throws IOException, InterruptedException {
    if (request.stream()) {
      stream();
    } else {
      whole();
    }
  }

  private void stream() throws IOException, InterruptedException {
    int index = 0;
    while (true) {
      AnswerProgress.Part part =
          occurrence.progress().next(index, isPermitted(), millisToKeepAlive());
      switch (part) {
        case AnswerProgress.Part.Event(SseEvent event, boolean held) -> {
          index++;
          if (held) {
            openCalls();
          }
          if (form.isForAgent(event, request)) {
            write(event.bytes());
          }
        }
        case AnswerProgress.Part.Silence() -> {
          if (millisToKeepAlive() <= 0) {
            write(form.keepAlive());
          }
        }
        case AnswerProgress.Part.End() -> {
          end();
          return;
        }
        case AnswerProgress.Part.Failed(AnswerFailure failure) -> {
          fail(failure);
          return;
        }
      }
    }
  }

  private void openCalls() {
    if (!opened) {
      opened = true;
      occurrence.openCalls();
    }
  }

  private long millisToKeepAlive() {
    return silence.toMillis() - (System.nanoTime() - lastWrite) / 1_000_000;
  }

  /** Whether answers may be given now; waits a little where they may not. */
  private boolean isPermitted() throws InterruptedException {
    AnswerProgress progress = occurrence.progress();
    return progress.isFailed()
        || progress.hasPart() && occurrence.begin(Math.clamp(millisToKeepAlive(), 1, POLL_MILLIS));
  }

  private void write(byte[] bytes) throws IOException {
    try (StallGuard.Watch watch = stalls.watch(stall)) {
      if (!begun) {
        begun = true;
        exchange.getResponseHeaders().set("content-type", "text/event-stream; charset=utf-8");
        exchange.getResponseHeaders().set("cache-control", "no-cache");
        exchange.sendResponseHeaders(200, 0);
      }
      OutputStream out = exchange.getResponseBody();
      out.write(bytes);
      out.flush();
      watch.progress();
    }
    lastWrite = System.nanoTime();
  }

  private void end() throws IOException {
    try (StallGuard.Watch watch = stalls.watch(stall)) {
      exchange.getResponseBody().close();
      watch.progress();
    }
    occurrence.deliver();
  }

  private void fail(AnswerFailure failure) throws IOException {
    if (!begun) {
      respond(failure);
      return;
    }
    SseEvent last = occurrence.progress().errorEvent();
    if (last != null) {
      write(last.bytes());
    } else if (!failure.brokenOff()) {
      write(form.errorEvent(failure.kind(), failure.message()).bytes());
    }
    // Without its end the agent does not take a part of the answer for all of it.
    throw new IOException("the answer has no end: " + failure.message());
  }

  private void respond(AnswerFailure failure) throws IOException {
    UpstreamFailure upstream = failure.upstream();
    byte[] body = upstream == null ? null : upstream.body();
    if (upstream == null || body == null || body.length == 0) {
      GatewayResponses.send(
          exchange, failure.kind().status(), form.error(failure.kind(), failure.message()));
      return;
    }
    upstream.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    GatewayResponses.send(exchange, upstream.status(), body);
  }

  private void whole() throws IOException, InterruptedException {
    while (!occurrence.progress().awaitEnd(POLL_MILLIS)) {
      // The bounds on retries, answers and captures end this wait.
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedException("the gateway is closing");
      }
    }
    AnswerFailure failure = occurrence.progress().failure();
    if (failure != null) {
      respond(failure);
      return;
    }
    while (!isPermitted()) {
      // A capture is bounded.
    }
    ObjectNode answer;
    try {
      answer = occurrence.progress().whole();
    } catch (MalformedAnswerException e) {
      throw new IOException("the journaled answer cannot be read", e);
    }
    openCalls();
    try (StallGuard.Watch watch = stalls.watch(stall)) {
      GatewayResponses.send(exchange, 200, Json.bytes(answer));
      watch.progress();
    }
    occurrence.deliver();
  }
}
