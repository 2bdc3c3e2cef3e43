/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The receiver of a webhook: answers 503 to the first posts about each run, verifies the signature
 * of the others itself, and shows the received ones at {@code GET /<run>}.
 */
public final class WebhookReceiver implements AutoCloseable {
  public static final String URL_PROPERTY = "test.webhook";
  public static final String SECRET = "whsec_" + "c2VjcmV0".repeat(4);
  public static final int FAILURES = 2;

  private final HttpServer server;
  private final Map<String, AtomicInteger> posts = new ConcurrentHashMap<>();
  private final Map<String, String> taken = new ConcurrentHashMap<>();

  public WebhookReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.start();
    System.setProperty(URL_PROPERTY, url());
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (exchange.getRequestMethod().equals("GET")) {
        answer(exchange, taken.getOrDefault(exchange.getRequestURI().getPath().substring(1), ""));
        return;
      }
      String id = header(exchange, "webhook-id");
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      String run = id.substring(0, id.indexOf('/'));
      int before = posts.computeIfAbsent(run, r -> new AtomicInteger()).getAndIncrement();
      if (before < FAILURES) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      // One line per post: the fields with which a receiver verifies it and detects duplicates.
      taken.merge(
          run,
          String.join(
              "\t",
              id,
              header(exchange, "webhook-timestamp"),
              header(exchange, "webhook-signature"),
              body),
          (old, next) -> old + "\n" + next);
      exchange.sendResponseHeaders(204, -1);
    }
  }

  private static String header(HttpExchange exchange, String name) {
    return Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst(name), "");
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
