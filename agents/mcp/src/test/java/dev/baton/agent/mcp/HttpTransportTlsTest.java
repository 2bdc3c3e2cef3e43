/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MCP servers whose certificates are of an authority that the JDK does not have. */
class HttpTransportTlsTest {
  private static final List<String> NAMES = List.of("ip:127.0.0.1");

  @TempDir private Path folder;

  private static HttpsServer server(Issued certificate) throws IOException {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.settings().context()));
    server.createContext(
        "/",
        exchange -> {
          byte[] body = "{\"id\": 7}".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  /** Returns the answer, or the message of the failure. */
  private static String exchange(Issued certificate, TlsSettings tls) throws Exception {
    HttpsServer server = server(certificate);
    CompletableFuture<String> end = new CompletableFuture<>();
    McpTransport.Receiver receiver =
        new McpTransport.Receiver() {
          @Override
          public void received(JsonNode message) {
            end.complete(message.toString());
          }

          @Override
          public void ended(String reason) {
            end.complete(reason);
          }
        };
    HttpTransport transport =
        new HttpTransport(
            "remote",
            URI.create("https://127.0.0.1:" + server.getAddress().getPort()),
            Map.of("Authorization", "Bearer hidden"),
            tls,
            Duration.ofSeconds(20),
            receiver);
    ObjectNode message = JsonNodeFactory.instance.objectNode().put("id", 7);
    try {
      transport.send(message, failure -> end.complete(failure.getMessage()));
      return end.get(30, TimeUnit.SECONDS);
    } finally {
      transport.close();
      server.stop(0);
    }
  }

  @Test
  void shouldTrustTheConfiguredAuthority() throws Exception {
    CertificateAuthority own =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("own")));
    CertificateAuthority other =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("other")));
    TlsSettings trust = own.trusting();

    assertThat(exchange(own.issue("good", NAMES, 1), trust)).isEqualTo("{\"id\":7}");
    assertThat(exchange(other.issue("strange", NAMES, 1), trust))
        .isEqualTo(
            "server 'remote': its certificate is of an authority that is not trusted; correct baton.tls.trust, or its certificate; the request was not sent");
    assertThat(exchange(own.issue("old", NAMES, "-2d", 1), trust))
        .contains("its certificate has expired", "the request was not sent");
    assertThat(exchange(own.issue("elsewhere", List.of("dns:mcp.example"), 1), trust))
        .contains("its certificate is for another host; correct the url of the server");
  }
}
