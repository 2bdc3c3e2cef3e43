/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Sets whether the listener requests certificates of its clients: the setting of Quarkus is fixed
 * when a service is built.
 */
@Singleton
public final class ClientAuthenticationCustomizer implements HttpServerOptionsCustomizer {
  private final ClientAuthentication clients;

  ClientAuthenticationCustomizer(
      @ConfigProperty(name = ListenerTlsSource.CLIENT_AUTH) Optional<String> clients) {
    this.clients = ClientAuthentication.of(clients);
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    options.setClientAuth(clients.vertx());
  }
}
