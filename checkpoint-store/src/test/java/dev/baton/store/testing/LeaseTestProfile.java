/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import io.quarkus.test.junit.QuarkusTestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/**
 * Configures a store that requires leases, and a server that replaces the orchestrator's key set.
 */
public class LeaseTestProfile implements QuarkusTestProfile {
  /**
   * The system property with the published key set; if it is absent, the server does not respond.
   * The tests run in another class loader.
   */
  public static final String PUBLISHED = "test.lease.keys";

  @Override
  public Map<String, String> getConfigOverrides() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/.well-known/jwks.json",
          exchange -> {
            String keys = System.getProperty(PUBLISHED);
            byte[] body = (keys == null ? "away" : keys).getBytes(UTF_8);
            exchange.sendResponseHeaders(keys == null ? 503 : 200, body.length);
            try (var out = exchange.getResponseBody()) {
              out.write(body);
            }
          });
      server.start();
      return Map.of(
          "baton.lease.required",
          "true",
          "baton.orchestrator-url",
          "http://127.0.0.1:" + server.getAddress().getPort());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
