/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/**
 * A real HTTP server that returns recorded responses in the format of the orchestrator's contract.
 */
public final class StubServer implements AutoCloseable {
  private final HttpServer server;
  private final Map<String, Deque<Answer>> answers = new ConcurrentHashMap<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();

  /** One recorded response. */
  record Answer(int status, String type, String body) {}

  /** A received request. */
  public record Request(String line, Map<String, List<String>> headers, String body) {
    public String header(String name) {
      return String.join(
          ",", headers.getOrDefault(name, headers.getOrDefault(capitalized(name), List.of())));
    }

    private static String capitalized(String name) {
      return name.substring(0, 1) + name.substring(1).toLowerCase(java.util.Locale.ROOT);
    }
  }

  public StubServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /**
   * Adds a response; the last one for a request line is repeated.
   *
   * @param line {@code GET /runs?limit=20}
   */
  public StubServer on(String line, int status, String body) {
    return on(line, status, status < 400 ? "application/json" : "application/problem+json", body);
  }

  public StubServer on(String line, int status, String type, String body) {
    answers.computeIfAbsent(line, _ -> new ArrayDeque<>()).add(new Answer(status, type, body));
    return this;
  }

  public List<Request> requests() {
    return requests;
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    requests.add(new Request(line, Map.copyOf(exchange.getRequestHeaders()), body));
    Answer answer = next(line);
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", answer.type());
    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private Answer next(String line) {
    Deque<Answer> queue = answers.get(line);
    if (queue == null) {
      return new Answer(
          404,
          "application/problem+json",
          "{\"title\":\"Not found\",\"status\":404,\"detail\":\"nothing at " + line + "\"}");
    }
    synchronized (queue) {
      return queue.size() > 1 ? queue.remove() : queue.element();
    }
  }
}
