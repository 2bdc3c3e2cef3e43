/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.tls.CertificateAuthority;
import dev.baton.protocol.tls.PemFile;
import io.netty.handler.ssl.SslContext;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509KeyManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListenerTlsCustomizerTest {
  private static final List<String> NAMES = List.of("ip:127.0.0.1");
  private static final Duration BOUND = Duration.ofSeconds(30);

  private static HttpServerOptions options(Map<String, String> keys) {
    HttpServerOptions options = new HttpServerOptions();
    new ListenerTlsCustomizer(new SmallRyeConfigBuilder().withDefaultValues(keys).build())
        .customizeHttpsServer(options);
    // The server works with a copy.
    return new HttpServerOptions(options);
  }

  @Test
  void shouldPresentAnExchangedCertificateInTheSameContext(@TempDir Path folder) throws Exception {
    CertificateAuthority authority = CertificateAuthority.of(folder);
    CertificateAuthority.Issued issued = authority.issue("service", NAMES, 1);
    Vertx vertx = Vertx.vertx();
    try {
      HttpServerOptions options =
          options(
              Map.of(
                  "baton.tls.certificate", issued.certificate().toString(),
                  "baton.tls.key", issued.key().toString(),
                  "baton.tls.trust", authority.certificate().toString(),
                  "baton.tls.client-auth", "requested"));
      KeyManagerFactory keys = options.getKeyCertOptions().getKeyManagerFactory(vertx);
      X509KeyManager manager = (X509KeyManager) keys.getKeyManagers()[0];
      SslContext context =
          options.getSslEngineOptions().sslContextFactory().keyMananagerFactory(keys).create();
      X509Certificate before = presented(manager);

      authority.issue("service", NAMES, 2);

      X509Certificate fresh = PemFile.certificates(issued.certificate()).getFirst();
      assertThat(fresh).isNotEqualTo(before);
      long began = System.nanoTime();
      while (!presented(manager).equals(fresh)) {
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(BOUND);
        Thread.onSpinWait();
      }
      assertThat(options.getClientAuth()).isEqualTo(ClientAuth.REQUEST);
      assertThat(options.getTrustOptions()).isNotNull();
      assertThat(context.sessionContext().getSessionTimeout()).isEqualTo(10);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static X509Certificate presented(X509KeyManager manager) {
    return manager.getCertificateChain(manager.chooseServerAlias("EC", null, null))[0];
  }
}
