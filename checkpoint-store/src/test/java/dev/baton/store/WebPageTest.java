/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.store.testing.StoreTest;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that a page of another origin cannot read from the store. */
@QuarkusTest
class WebPageTest extends StoreTest {
  private String send(String method, String path, String... headers) throws IOException {
    String request =
        method + " " + path + " HTTP/1.1\r\nConnection: close\r\n" + String.join("\r\n", headers);
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), Objects.requireNonNull(base).getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write((request + "\r\n\r\n").getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/runs/01arz3ndektsv4rrffq69g5fav/events",
    "GET,/q/health/ready",
    "GET,/q/metrics",
    "GET,/openapi",
    "POST,/nothing"
  })
  void shouldRefuseWhateverRouteAPageAsksFor(String method, String path) throws IOException {
    String own = "Host: localhost:" + Objects.requireNonNull(base).getPort();
    String json = "Content-Type: application/json";

    assertThat(send(method, path, "Host: evil.example", json))
        .startsWith("HTTP/1.1 421 ")
        .contains("application/problem+json");
    assertThat(send(method, path, own, json, "Sec-Fetch-Site: cross-site"))
        .startsWith("HTTP/1.1 403 ");
    assertThat(send(method, path, own, json, "Origin: http://localhost:1"))
        .startsWith("HTTP/1.1 403 ");
    assertThat(send("POST", path, own)).startsWith("HTTP/1.1 415 ");
    assertThat(send(method, path, own, json))
        .doesNotStartWith("HTTP/1.1 42")
        .doesNotStartWith("HTTP/1.1 403");
  }
}
