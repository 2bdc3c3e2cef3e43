/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.workload;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;

/**
 * Simulates an external service that records its requests: every request becomes a line of the
 * effects ledger, by its {@code Idempotency-Key}. On 127.0.0.1. The epoch of a request is unknown.
 */
public final class EffectServer implements AutoCloseable {
  private final HttpServer server;
  private final Path ledger;

  /** Listens at once. */
  public EffectServer(Path ledger) throws IOException {
    this.ledger = ledger;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::serve);
    server.start();
  }

  /** Its URL, without a slash at its end. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
      if (key != null) {
        long now = System.currentTimeMillis() * 1_000_000;
        Files.writeString(
            ledger,
            key + " 0 0 begin 0 " + now + "\n",
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      }
      byte[] body =
          "{\"path\":\"%s\"}"
              .formatted(exchange.getRequestURI().getPath())
              .getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
