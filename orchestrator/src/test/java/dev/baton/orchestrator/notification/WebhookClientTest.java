/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.notification;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.TlsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhookClientTest {
  @Test
  void shouldShowNoSecretsOfItsUrl() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(500, -1);
          exchange.close();
        });
    server.start();
    String host = "127.0.0.1:" + server.getAddress().getPort();
    URI url = URI.create("http://user:s3cret@" + host + "/hooks/s3cret?token=s3cret");
    try (WebhookClient client = new WebhookClient(url, new byte[32], TlsSettings.NONE)) {
      assertThat(client.post("id", "{}"))
          .isEqualTo(new WebhookClient.Outcome.Failed("http://" + host + " answered 500"));
      server.stop(0);
      assertThat(client.post("id", "{}").toString()).contains(host).doesNotContain("s3cret");
    }
  }

  @Test
  void shouldTrustTheConfiguredAuthorityOnly(@TempDir Path folder) throws Exception {
    CertificateAuthority authority = CertificateAuthority.of(folder);
    CertificateAuthority.Issued issued = authority.issue("receiver", List.of("ip:127.0.0.1"), 2);
    TlsSettings receiver = issued.settings();
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(receiver.context()));
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    URI url = URI.create("https://127.0.0.1:" + server.getAddress().getPort() + "/");
    TlsSettings trusting = authority.trusting();
    try (WebhookClient configured = new WebhookClient(url, new byte[32], trusting);
        WebhookClient other = new WebhookClient(url, new byte[32], TlsSettings.NONE)) {
      assertThat(configured.post("id", "{}")).isEqualTo(new WebhookClient.Outcome.Delivered());
      assertThat(other.post("id", "{}").toString())
          .contains("of an authority that is not trusted; correct baton.tls.trust");
    } finally {
      server.stop(0);
    }
  }
}
