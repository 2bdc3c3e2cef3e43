/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A model endpoint on loopback that answers from a script. It keeps every request in memory, or
 * none. Thread-safe.
 */
public final class ScriptedModelServer implements AutoCloseable {
  static {
    // Without it, small events wait 40 ms for an acknowledgement.
    if (System.getProperty("sun.net.httpserver.nodelay") == null) {
      System.setProperty("sun.net.httpserver.nodelay", "true");
    }
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final boolean keeping;
  private volatile RequestLog log;
  private final CountDownLatch closing = new CountDownLatch(1);

  /** A script and the requests that it answers. */
  private static final class RequestLog {
    private final ModelScript script;
    // Guarded by this.
    private final List<ScriptedRequest> requests = new ArrayList<>();
    private int arrived;
    private int completed;

    private RequestLog(ModelScript script) {
      this.script = script;
    }

    private synchronized void complete() {
      completed++;
      notifyAll();
    }
  }

  private ScriptedModelServer(ModelScript script, int port, boolean keeping) throws IOException {
    this.log = new RequestLog(script);
    this.keeping = keeping;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 128);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
  }

  /** Starts an endpoint on a free port. */
  public static ScriptedModelServer start(ModelScript script) throws IOException {
    return start(script, 0);
  }

  /**
   * @throws IOException when the port cannot be bound
   */
  public static ScriptedModelServer start(ModelScript script, int port) throws IOException {
    return started(new ScriptedModelServer(script, port, true));
  }

  /**
   * Starts an endpoint on a free port that keeps no request: for long sessions, each request of
   * which contains all requests before it.
   */
  public static ScriptedModelServer startWithoutKeeping(ModelScript script) throws IOException {
    return started(new ScriptedModelServer(script, 0, false));
  }

  private static ScriptedModelServer started(ScriptedModelServer endpoint) {
    endpoint.server.start();
    return endpoint;
  }

  /**
   * Answers the requests that arrive from now on from another script, and counts from zero again.
   * Answers under way are completed from the previous script and are not counted.
   */
  public void answerFrom(ModelScript script) {
    log = new RequestLog(script);
  }

  /** The URL without a path. */
  public URI baseUrl() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** All kept requests for answers so far, in the order of their arrival. */
  public List<ScriptedRequest> requests() {
    RequestLog current = log;
    synchronized (current) {
      return List.copyOf(current.requests);
    }
  }

  /** The number of answers that were sent completely. */
  public int completed() {
    RequestLog current = log;
    synchronized (current) {
      return current.completed;
    }
  }

  /** Waits for so many requests; false when fewer have come within {@code bound}. */
  public boolean awaitRequests(int count, Duration bound) throws InterruptedException {
    return await(current -> current.arrived >= count, bound);
  }

  /** Waits for so many completely sent answers; false when there are fewer after {@code bound}. */
  public boolean awaitCompleted(int count, Duration bound) throws InterruptedException {
    return await(current -> current.completed >= count, bound);
  }

  private boolean await(Predicate<RequestLog> condition, Duration bound)
      throws InterruptedException {
    long end = System.nanoTime() + bound.toNanos();
    RequestLog current = log;
    synchronized (current) {
      while (!condition.test(current)) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(current, left);
      }
      return true;
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String path = exchange.getRequestURI().getPath();
    if (path.endsWith("/models")) {
      send(
          exchange,
          200,
          RenderedJson.object().put("object", "list").set("data", Json.mapper().createArrayNode()));
      return;
    }
    if (path.endsWith("/count_tokens")) {
      send(exchange, 200, RenderedJson.object().put("input_tokens", body.length / 4));
      return;
    }
    ReplyRenderer renderer =
        path.endsWith("/messages")
            ? new MessagesRenderer()
            : path.endsWith("/responses") ? new ResponsesRenderer() : new ChatRenderer();
    RequestLog current = log;
    ScriptedRequest request = keep(current, exchange, body);
    try {
      answer(current, exchange, renderer, request);
    } catch (InterruptedException e) {
      throw new IOException("closing", e);
    }
  }

  private ScriptedRequest keep(RequestLog current, HttpExchange exchange, byte[] body) {
    Map<String, List<String>> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), List.copyOf(values)));
    JsonNode parsed = parsed(body);
    synchronized (current) {
      ScriptedRequest request =
          new ScriptedRequest(
              ++current.arrived, exchange.getRequestURI().toString(), headers, parsed);
      if (keeping) {
        current.requests.add(request);
      }
      current.notifyAll();
      return request;
    }
  }

  private static JsonNode parsed(byte[] body) {
    try {
      return Json.tree(body);
    } catch (UncheckedIOException e) {
      return MissingNode.getInstance();
    }
  }

  /**
   * The provider's request id in the answer to a request.
   *
   * @param number of the request
   */
  public static String requestId(int number) {
    return "req_" + number;
  }

  private void answer(
      RequestLog current, HttpExchange exchange, ReplyRenderer renderer, ScriptedRequest request)
      throws IOException, InterruptedException {
    ScriptedReply reply = current.script.reply(request);
    pause(reply.before());
    exchange.getResponseHeaders().set("request-id", requestId(request.number()));
    int limit = Integer.MAX_VALUE;
    switch (reply.fault()) {
      case ReplyFault.None none -> {}
      case ReplyFault.ErrorStatus(int status, String retryAfter, String message) -> {
        if (!retryAfter.isEmpty()) {
          exchange.getResponseHeaders().set("retry-after", retryAfter);
        }
        send(exchange, status, renderer.error(message));
        return;
      }
      case ReplyFault.Garbage(String contentType, String text) -> {
        exchange.getResponseHeaders().set("content-type", contentType);
        send(exchange, 200, text.getBytes(StandardCharsets.ISO_8859_1));
        return;
      }
      case ReplyFault.BreakOff(int events) -> limit = events;
      case ReplyFault.ErrorEvent(int events) -> limit = events;
    }
    if (request.body().path("stream").asBoolean(false)) {
      stream(current, exchange, renderer, request, reply, limit);
    } else if (limit == Integer.MAX_VALUE) {
      send(exchange, 200, renderer.whole(request, reply));
      current.complete();
    } else {
      breakOff(exchange, renderer.whole(request, reply));
    }
  }

  private void stream(
      RequestLog current,
      HttpExchange exchange,
      ReplyRenderer renderer,
      ScriptedRequest request,
      ScriptedReply reply,
      int limit)
      throws IOException, InterruptedException {
    exchange.getResponseHeaders().set("content-type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    out.flush();
    int sent = 0;
    for (String event : renderer.stream(request, reply)) {
      if (sent == limit) {
        if (reply.fault() instanceof ReplyFault.ErrorEvent) {
          out.write(renderer.errorEvent().getBytes(StandardCharsets.UTF_8));
          out.flush();
          exchange.close();
          return;
        }
        throw new IOException("scripted break");
      }
      if (sent > 0) {
        pause(reply.between());
      }
      out.write(event.getBytes(StandardCharsets.UTF_8));
      out.flush();
      sent++;
    }
    current.complete();
    exchange.close();
  }

  private static void breakOff(HttpExchange exchange, ObjectNode whole) throws IOException {
    byte[] body = Json.bytes(whole);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body, 0, body.length / 2);
    exchange.getResponseBody().flush();
    throw new IOException("scripted break");
  }

  private static void send(HttpExchange exchange, int status, JsonNode body) throws IOException {
    exchange.getResponseHeaders().set("content-type", "application/json");
    send(exchange, status, Json.bytes(body));
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    if (body.length > 0) {
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  private void pause(Duration delay) throws InterruptedException {
    if (!delay.isZero() && closing.await(delay.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new InterruptedException("closing");
    }
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
