/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.training;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves objects from memory over HTTP: PUT and GET (also of ranges) by digest, on a port of the
 * loopback interface.
 */
final class MemoryObjectStore implements AutoCloseable {
  private final Map<String, byte[]> all = new ConcurrentHashMap<>();
  private final HttpServer server;

  MemoryObjectStore() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.start();
  }

  boolean has(String digest) {
    return all.containsKey(path(digest));
  }

  String url(String digest) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path(digest);
  }

  private static String path(String digest) {
    return "/" + digest.replace(':', '-');
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      if (exchange.getRequestMethod().equals("PUT")) {
        all.put(path, exchange.getRequestBody().readAllBytes());
        exchange.sendResponseHeaders(200, -1);
        return;
      }
      byte[] bytes = all.get(path);
      if (bytes == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      int from = 0;
      int to = bytes.length;
      String range = exchange.getRequestHeaders().getFirst("Range");
      if (range != null) {
        String[] ends = range.substring("bytes=".length()).split("-");
        from = Integer.parseInt(ends[0]);
        to = Integer.parseInt(ends[1]) + 1;
      }
      exchange.sendResponseHeaders(range == null ? 200 : 206, to - from);
      exchange.getResponseBody().write(bytes, from, to - from);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
