/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.tls.TlsSettings;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import jakarta.inject.Singleton;
import javax.net.ssl.SSLException;
import org.eclipse.microprofile.config.Config;

/**
 * Gives the listener key and trust managers that read changed files again, and sets whether it
 * requests certificates of its clients. Quarkus fixes the latter when a service is built, and
 * exchanges the context of the listener when a file has changed; until the new context is ready,
 * Vert.x 4.5 closes new connections.
 */
@Singleton
public final class ListenerTlsCustomizer implements HttpServerOptionsCustomizer {
  private final TlsSettings settings;
  private final ClientAuthentication clients;

  ListenerTlsCustomizer(Config config) {
    settings = TlsSettings.read(key -> config.getOptionalValue(key, String.class));
    clients =
        ClientAuthentication.of(
            config.getOptionalValue(ListenerTlsSource.CLIENT_AUTH, String.class));
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    settings.keyManager().map(KeyCertOptions::wrap).ifPresent(options::setKeyCertOptions);
    if (clients != ClientAuthentication.NONE) {
      options.setTrustOptions(TrustOptions.wrap(settings.trustManager()));
    }
    options.setClientAuth(clients.vertx());
    options.setSslEngineOptions(new ShortSessionOptions());
  }

  /** Ends sessions early: one that is resumed is not checked against files that have changed. */
  private static final class ShortSessionOptions extends JdkSSLEngineOptions {
    @Override
    public ShortSessionOptions copy() {
      return new ShortSessionOptions();
    }

    @Override
    public SslContextFactory sslContextFactory() {
      return new DefaultSslContextFactory(SslProvider.JDK, false) {
        @Override
        public SslContext create() throws SSLException {
          SslContext context = super.create();
          context.sessionContext().setSessionTimeout(TlsSettings.SESSION_SECONDS);
          return context;
        }
      };
    }
  }
}
