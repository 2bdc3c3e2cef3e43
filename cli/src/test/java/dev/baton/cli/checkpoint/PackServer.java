/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.baton.snapshot.format.Hash;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An object store with packs: serves ranges, and failures on demand. */
final class PackServer implements AutoCloseable {
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");

  private final HttpServer server;
  private final Map<String, byte[]> objects = new HashMap<>();

  /** Status codes to return, one per response, before any success. */
  final ConcurrentLinkedQueue<Integer> failures = new ConcurrentLinkedQueue<>();

  final AtomicInteger requests = new AtomicInteger();

  /** Whether ranges are ignored, as some servers do. */
  volatile boolean whole;

  PackServer(Map<Hash, byte[]> packs) throws IOException {
    packs.forEach((hash, bytes) -> objects.put(hash.hex(), bytes));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    Integer failure = failures.poll();
    String name = exchange.getRequestURI().getPath().substring(1);
    byte @Nullable [] object = objects.get(name);
    if (failure != null || object == null) {
      exchange.sendResponseHeaders(failure == null ? 404 : failure, -1);
    } else {
      send(exchange, object);
    }
    exchange.close();
  }

  private void send(HttpExchange exchange, byte[] object) throws IOException {
    Matcher range = RANGE.matcher(String.valueOf(exchange.getRequestHeaders().getFirst("Range")));
    boolean part = !whole && range.matches();
    byte[] body =
        part
            ? Arrays.copyOfRange(
                object, Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)) + 1)
            : object;
    exchange.sendResponseHeaders(part ? 206 : 200, body.length);
    exchange.getResponseBody().write(body);
  }
}
