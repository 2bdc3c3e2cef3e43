/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.storedoctor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The doctor against servers that are no S3, and with bad input. */
class StoreDoctorMainTest {
  private static final Map<String, String> CREDENTIALS =
      Map.of(StoreDoctorMain.ACCESS_KEY, "someone", StoreDoctorMain.SECRET_KEY, "hidden-secret");

  @TempDir private Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(Map<String, String> environment, String... args) throws Exception {
    return StoreDoctorMain.run(
        List.of(args),
        environment,
        new PrintStream(out, true, UTF_8),
        new PrintStream(err, true, UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "ftp://127.0.0.1, baton, 'http or https'",
    "http://127.0.0.1/path, baton, 'http or https'",
    "not an address, baton, 'not an address'",
    "http://127.0.0.1:9, Baton, '3 to 63'",
  })
  void shouldNameBadInput(String endpoint, String bucket, String message) throws Exception {
    assertThat(run(CREDENTIALS, endpoint, "us-east-1", bucket, "50")).isEqualTo(2);
    assertThat(err.toString(UTF_8)).contains(message);
    assertThat(out.toString(UTF_8)).isEmpty();
  }

  @Test
  void shouldNameTheVariablesOfMissingCredentials() throws Exception {
    assertThat(run(Map.of(), "http://127.0.0.1:9", "us-east-1", "baton", "50")).isEqualTo(2);
    assertThat(err.toString(UTF_8))
        .contains(StoreDoctorMain.ACCESS_KEY, StoreDoctorMain.SECRET_KEY);
  }

  @Test
  void shouldEndAfterTheFirstCheckOfAServerThatIsAway() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    assertThat(run(CREDENTIALS, "http://127.0.0.1:" + port, "us-east-1", "baton", "50", "--json"))
        .isEqualTo(1);

    JsonNode result = new ObjectMapper().readTree(out.toString(UTF_8));
    assertThat(result.path("usable").asBoolean()).isFalse();
    assertThat(result.path("checks")).hasSize(1);
    assertThat(result.path("checks").path(0).path("met").asBoolean()).isFalse();
    assertThat(out.toString(UTF_8)).doesNotContain("hidden-secret");
  }

  @Test
  void shouldFindThatAServerAcceptsAllAndKeepsNothing() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    try {
      int port = server.getAddress().getPort();
      assertThat(run(CREDENTIALS, "http://127.0.0.1:" + port, "us-east-1", "baton", "50"))
          .isEqualTo(1);
    } finally {
      server.stop(0);
    }
    assertThat(out.toString(UTF_8))
        .contains("missing  bucket", "a bucket that was never created", "cannot be used")
        .doesNotContain("hidden-secret");
  }

  @Test
  void shouldTrustTheAuthorityOfTheEnvironment() throws Exception {
    List<String> names = List.of("ip:127.0.0.1");
    CertificateAuthority own =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("own")));
    CertificateAuthority other =
        CertificateAuthority.of(Files.createDirectory(folder.resolve("other")));

    // The command reaches the server, which does not speak S3.
    assertThat(check(own.issue("good", names, 1), own))
        .contains("a bucket that was never created")
        .doesNotContain("certificate");
    assertThat(check(other.issue("strange", names, 1), own))
        .contains("of an authority that is not trusted; correct BATON_TLS_TRUST");
    assertThat(check(own.issue("old", names, "-2d", 1), own))
        .contains("its certificate has expired");
    assertThat(check(own.issue("elsewhere", List.of("dns:s3.example"), 1), own))
        .contains("its certificate is for another host; correct --endpoint");

    Map<String, String> missing = new HashMap<>(CREDENTIALS);
    missing.put("BATON_TLS_TRUST", folder.resolve("none.pem").toString());
    assertThat(run(missing, "https://127.0.0.1:9", "us-east-1", "baton", "50")).isEqualTo(2);
    assertThat(err.toString(UTF_8)).contains("BATON_TLS_TRUST: ", "none.pem cannot be read");
  }

  private String check(Issued certificate, CertificateAuthority trusted) throws Exception {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.settings().context()));
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    Map<String, String> environment = new HashMap<>(CREDENTIALS);
    environment.put("BATON_TLS_TRUST", trusted.certificate().toString());
    out.reset();
    try {
      String endpoint = "https://127.0.0.1:" + server.getAddress().getPort();
      assertThat(run(environment, endpoint, "us-east-1", "baton", "50")).isEqualTo(1);
    } finally {
      server.stop(0);
    }
    return out.toString(UTF_8);
  }
}
