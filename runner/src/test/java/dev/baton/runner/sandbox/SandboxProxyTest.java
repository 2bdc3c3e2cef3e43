/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.baton.protocol.workflow.SandboxHost;
import dev.baton.runner.steps.HttpAddressPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxProxyTest {
  private final BlockingQueue<Map<String, List<String>>> requests = new LinkedBlockingQueue<>();
  private HttpServer server;
  private int port;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 10);
    server.createContext(
        "/",
        exchange -> {
          requests.add(Map.copyOf(exchange.getRequestHeaders()));
          byte[] body = exchange.getRequestBody().readAllBytes();
          byte[] answer =
              (exchange.getRequestMethod() + " " + exchange.getRequestURI() + " ").getBytes(UTF_8);
          exchange.sendResponseHeaders(200, answer.length + body.length);
          exchange.getResponseBody().write(answer);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    port = server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private static SandboxHost host(String text) {
    return SandboxHost.parse(text).orElseThrow();
  }

  private String exchange(SandboxProxy proxy, String text) throws IOException {
    try (SandboxRelay relay = SandboxRelay.open(Set.of(), Optional.of(proxy));
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(relay.socket()));
      int at = relay.proxyPort().orElseThrow();
      channel.write(ByteBuffer.allocate(4).putInt(at).flip());
      channel.write(ByteBuffer.wrap(text.replace("\n", "\r\n").getBytes(UTF_8)));
      channel.shutdownOutput();
      return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
    }
  }

  private SandboxProxy proxy(String... hosts) {
    return new SandboxProxy(
        Arrays.stream(hosts).map(SandboxProxyTest::host).toList(),
        List.of(),
        HttpAddressPolicy.DEFAULT::check);
  }

  @Test
  void shouldPassARequestOnWithoutHeadersForTheProxy() throws Exception {
    String answer =
        exchange(
            proxy("localhost:" + port),
            """
            POST http://LOCALHOST:%d/a%%20b?c=d HTTP/1.1
            Host: localhost
            Proxy-Authorization: Basic eDp5
            Connection: keep-alive
            Content-Length: 5

            12345"""
                .formatted(port));

    assertThat(answer).startsWith("HTTP/1.1 200 OK").endsWith("POST /a%20b?c=d 12345");
    assertThat(requests.take())
        .containsEntry("Connection", List.of("close"))
        .doesNotContainKey("Proxy-authorization");
  }

  @Test
  void shouldOpenATunnel() throws Exception {
    String answer =
        exchange(
            proxy("localhost:" + port),
            """
            CONNECT localhost.:%d HTTP/1.1
            Host: localhost

            GET /inner HTTP/1.1
            Host: localhost
            Connection: close

            """
                .formatted(port));

    assertThat(answer)
        .startsWith("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK")
        .endsWith("GET /inner ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "*.localhost:%d", "local:%d", "127.0.0.1:%d", "*"})
  void shouldRefuseHostsThatTheStepDoesNotName(String named) throws Exception {
    String answer =
        exchange(proxy(named.formatted(port)), "CONNECT localhost:" + port + " HTTP/1.1\n\n");

    assertThat(answer)
        .startsWith("HTTP/1.1 403 Forbidden")
        .contains("localhost:" + port + " is not one of the step's 'hosts': ");
    assertThat(requests).isEmpty();
  }

  @Test
  void shouldRefuseHostsThatTheRunnerDoesNotPermit() throws Exception {
    SandboxProxy proxy =
        new SandboxProxy(
            List.of(host("*:" + port)),
            List.of(host("pypi.org")),
            HttpAddressPolicy.DEFAULT::check);

    assertThat(exchange(proxy, "CONNECT localhost:" + port + " HTTP/1.1\n\n"))
        .startsWith("HTTP/1.1 403")
        .contains(
            "does not permit localhost:" + port + "; allowed by baton.sandbox.hosts: pypi.org");
  }

  /** The name of a permitted host leads to an address that is not permitted. */
  @Test
  void shouldCheckTheAddressToWhichItConnects() throws Exception {
    SandboxProxy proxy =
        new SandboxProxy(
            List.of(host("*:" + port)),
            List.of(host("*:" + port)),
            HttpAddressPolicy.of("loopback", "")::check);

    for (String target : List.of("localhost", "127.0.0.1", "0.0.0.0", "0x7f000001", "127.1")) {
      assertThat(exchange(proxy, "CONNECT " + target + ":" + port + " HTTP/1.1\n\n"))
          .as(target)
          .startsWith("HTTP/1.1 403 Forbidden");
    }
    assertThat(exchange(proxy, "CONNECT 169.254.169.254:" + port + " HTTP/1.1\n\n"))
        .startsWith("HTTP/1.1 403 Forbidden")
        .contains("may not connect (baton.http-step.allow of the runner)");
    assertThat(requests).isEmpty();
  }

  @Test
  void shouldReportATargetThatDoesNotAnswer() throws Exception {
    server.stop(0);

    assertThat(exchange(proxy("localhost:" + port), "CONNECT localhost:" + port + " HTTP/1.1\n\n"))
        .startsWith("HTTP/1.1 502 Bad Gateway")
        .contains("localhost:" + port + " cannot be reached: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\n\n",
        "GET /path HTTP/1.1\nHost: localhost\n\n",
        "GET https://localhost/ HTTP/1.1\n\n",
        "GET ftp://localhost/ HTTP/1.1\n\n",
        "GET http:///x HTTP/1.1\n\n",
        "CONNECT localhost HTTP/1.1\n\n",
        "CONNECT localhost:0 HTTP/1.1\n\n",
        "CONNECT localhost:65536 HTTP/1.1\n\n",
        "CONNECT localhost:-1 HTTP/1.1\n\n",
        "CONNECT localhost:443 SPDY/3\n\n",
        "nonsense\n\n",
      })
  void shouldRefuseMalformedRequests(String text) throws Exception {
    assertThat(exchange(proxy("*"), text)).startsWith("HTTP/1.1 400 Bad Request");
  }

  @Test
  void shouldBoundTheHead() throws Exception {
    String head = "CONNECT localhost:443 HTTP/1.1\nX: " + "x".repeat(40_000) + "\n\n";

    assertThat(exchange(proxy("*"), head)).startsWith("HTTP/1.1 431");
  }

  @Test
  void shouldEndWithAConnectionThatEndsWithinARequest() throws Exception {
    assertThat(exchange(proxy("*"), "CONNECT localhost:443 HTTP/1.1\n")).isEmpty();
  }
}
