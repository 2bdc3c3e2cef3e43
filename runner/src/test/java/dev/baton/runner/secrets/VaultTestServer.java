/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Answers as the documented HTTP API of Vault: {@code GET /v1/<mount>/data/<path>} of version 2 of
 * the KV engine, {@code GET /v1/<mount>/<path>} of version 1, and {@code POST
 * /v1/auth/<mount>/login} of the Kubernetes auth method.
 */
final class VaultTestServer implements AutoCloseable {
  /** A request: method, path, namespace, token. */
  record Request(String method, String path, String namespace, String token) {}

  final List<Request> requests = new CopyOnWriteArrayList<>();

  /** Valid tokens. */
  final Set<String> tokens = ConcurrentHashMap.newKeySet();

  /** Roles with the service account's tokens that may log in as them. */
  final Map<String, String> roles = new ConcurrentHashMap<>();

  /** Complete answers, by path. */
  final Map<String, String> answers = new ConcurrentHashMap<>();

  /** Statuses with which the next requests fail; 0 for a connection that breaks off. */
  final LinkedBlockingQueue<Integer> failures = new LinkedBlockingQueue<>();

  /** Seconds for which a login is valid. */
  volatile int loginSeconds = 3_600;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private int logins;

  /**
   * @param tls with the certificate of the server; empty for http
   */
  VaultTestServer(Optional<TlsSettings> tls) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    if (tls.isPresent()) {
      HttpsServer secure = HttpsServer.create(address, 0);
      secure.setHttpsConfigurator(new HttpsConfigurator(tls.get().context()));
      server = secure;
    } else {
      server = HttpServer.create(address, 0);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Stores a secret in version 2 of the engine. */
  void putVersioned(String path, String fields) {
    answers.put(
        path,
        """
        {"request_id": "7d4d4c5f-0000-0000-0000-000000000001", "lease_id": "", "renewable": false, "lease_duration": 0,
         "data": {"data": %s, "metadata": {"created_time": "2026-01-02T03:04:05.678901Z", "custom_metadata": null,
           "deletion_time": "", "destroyed": false, "version": 3}},
         "wrap_info": null, "warnings": null, "auth": null, "mount_type": "kv"}
        """
            .formatted(fields));
  }

  /** Stores a secret in version 1 of the engine. */
  void putPlain(String path, String fields) {
    answers.put(
        path,
        """
        {"request_id": "7d4d4c5f-0000-0000-0000-000000000002", "lease_id": "", "renewable": false, "lease_duration": 2764800,
         "data": %s, "wrap_info": null, "warnings": null, "auth": null}
        """
            .formatted(fields));
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getRawPath();
    String token = header(exchange, "X-Vault-Token");
    requests.add(
        new Request(
            exchange.getRequestMethod(), path, header(exchange, "X-Vault-Namespace"), token));
    byte[] body = exchange.getRequestBody().readAllBytes();
    Integer failure = failures.poll();
    if (failure != null) {
      if (failure == 0) {
        exchange.close();
      } else {
        send(exchange, failure, "{\"errors\": [\"secret-in-an-error\"]}");
      }
    } else if (path.endsWith("/login")) {
      login(exchange, body);
    } else if (!tokens.contains(token)) {
      send(exchange, 403, "{\"errors\": [\"permission denied\"]}");
    } else {
      String found = answers.get(path.substring("/v1/".length()));
      send(exchange, found == null ? 404 : 200, found == null ? "{\"errors\": []}" : found);
    }
  }

  private void login(HttpExchange exchange, byte[] body) throws IOException {
    JsonNode request = Json.tree(body);
    String jwt = request.path("jwt").asText();
    if (!jwt.equals(roles.get(request.path("role").asText()))) {
      send(exchange, 403, "{\"errors\": [\"permission denied\"]}");
      return;
    }
    String token = "hvs.login-" + ++logins;
    tokens.add(token);
    send(
        exchange,
        200,
        """
        {"request_id": "7d4d4c5f-0000-0000-0000-000000000003", "lease_id": "", "renewable": false, "lease_duration": 0,
         "data": null, "wrap_info": null, "warnings": null,
         "auth": {"client_token": "%s", "accessor": "0e9e354a", "policies": ["default"], "token_policies": ["default"],
           "metadata": {"role": "ci"}, "lease_duration": %d, "renewable": true, "entity_id": "", "token_type": "service"}}
        """
            .formatted(token, loginSeconds));
  }

  private static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
