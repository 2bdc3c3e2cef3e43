/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.baton.gateway.upstream.ModelUpstream;
import dev.baton.gateway.upstream.UpstreamClient;
import dev.baton.gateway.upstream.UpstreamException;
import dev.baton.gateway.upstream.UpstreamLimits;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.CertificateAuthority.Issued;
import dev.baton.protocol.tls.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints of models whose certificates are of an authority that the JDK does not have. */
class UpstreamTlsTest {
  private static final List<String> NAMES = List.of("ip:127.0.0.1");

  @TempDir private Path folder;

  private static HttpsServer endpoint(Issued certificate) throws IOException {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.settings().context()));
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static int status(HttpsServer server, TlsSettings tls) throws Exception {
    URI url = URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    UpstreamClient.Call call =
        new UpstreamClient.Call(
            new ModelUpstream(url, "env:KEY", Map.of()),
            "POST",
            "/v1/messages",
            "x-api-key",
            "",
            Map.of(),
            new byte[] {1},
            "token");
    try (UpstreamClient client =
            new UpstreamClient(
                reference -> "sk-hidden", UpstreamLimits.STANDARD, Instant::now, tls);
        UpstreamClient.Response response = client.send(call)) {
      return response.status();
    }
  }

  private void assertRefused(Issued certificate, TlsSettings tls, String reason)
      throws IOException {
    HttpsServer server = endpoint(certificate);
    try {
      UpstreamException refused =
          catchThrowableOfType(UpstreamException.class, () -> status(server, tls));
      assertThat(refused).hasMessageContaining(reason).hasMessageNotContaining("sk-hidden");
      assertThat(refused.isRetryable()).isFalse();
    } finally {
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

    HttpsServer good = endpoint(own.issue("good", NAMES, 1));
    try {
      assertThat(status(good, trust)).isEqualTo(200);
    } finally {
      good.stop(0);
    }
    assertRefused(
        own.issue("default", NAMES, 1), TlsSettings.NONE, "an authority that is not trusted");
    assertRefused(other.issue("strange", NAMES, 1), trust, "correct baton.tls.trust");
    assertRefused(own.issue("old", NAMES, "-2d", 1), trust, "its certificate has expired");
    assertRefused(
        own.issue("elsewhere", List.of("dns:models.example"), 1),
        trust,
        "its certificate is for another host; correct baton.models.*.url");
  }
}
