/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.baton.cli.InProcessCli;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/** A server that accepts one import, with the object store that receives its packs. */
final class ImportServer implements AutoCloseable {
  static final String RUN = "01jd0000000000000000abcdef";

  private final HttpServer server;
  private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private volatile JsonNode manifest = Json.mapper().createObjectNode();
  private volatile boolean refuses;

  ImportServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  InProcessCli cli() {
    return new InProcessCli(Map.of("BATON_SERVER", url(), "HOME", "/nonexistent"), "");
  }

  void refuse() {
    refuses = true;
  }

  /** The uploaded objects by digest. */
  Map<String, byte[]> objects() {
    return Collections.unmodifiableMap(objects);
  }

  JsonNode committed() {
    return manifest;
  }

  List<String> lines() {
    return lines;
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    byte[] body = exchange.getRequestBody().readAllBytes();
    lines.add(exchange.getRequestMethod() + " " + path);
    String answer;
    if (path.startsWith("/objects/")) {
      String digest = Digest.of(body);
      boolean right =
          path.endsWith(digest) && "yes".equals(exchange.getRequestHeaders().getFirst("x-signed"));
      objects.put(digest, body);
      exchange.sendResponseHeaders(right ? 200 : 403, -1);
      exchange.close();
      return;
    } else if (path.endsWith("/packs/find")) {
      answer = "{\"packs\":[],\"places\":[" + "0,".repeat(body.length / 32 - 1) + "0]}";
    } else if (path.endsWith("/packs/uploads")) {
      String digest = Json.tree(body).at("/packs/0/digest").asText();
      answer =
          "{\"uploads\":[{\"digest\":\"%s\",\"present\":false,\"put_url\":\"%s/objects/%s\",\"headers\":{\"x-signed\":\"yes\"}}]}"
              .formatted(digest, url(), digest);
    } else if (path.endsWith("/packs")) {
      answer = "";
    } else if (path.endsWith("/pin")) {
      answer = "{\"id\":\"%s\",\"run\":\"%s\",\"pinned\":true}".formatted(path.split("/")[2], RUN);
    } else {
      if (exchange.getRequestMethod().equals("PUT")) {
        manifest = Json.tree(body);
      }
      answer = "{\"id\":\"%s\",\"project\":\"default\",\"epoch\":1}".formatted(RUN);
    }
    byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
    boolean refused = refuses && path.endsWith("/packs");
    exchange.sendResponseHeaders(refused ? 409 : 200, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
