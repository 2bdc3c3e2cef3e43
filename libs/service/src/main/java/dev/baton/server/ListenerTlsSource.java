/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.tls.TlsSettings;
import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import io.smallrye.config.PropertiesConfigSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.eclipse.microprofile.config.spi.ConfigSource;

/**
 * Maps {@code baton.tls.*} to the settings of the listener for REST, gRPC, health and metrics,
 * whose port then accepts only TLS. {@link ListenerTlsCustomizer} reads changed files again.
 */
public final class ListenerTlsSource implements ConfigSourceFactory {
  static final String CLIENT_AUTH = "baton.tls.client-auth";

  // Above the environment (300) and system properties (400).
  private static final int ORDINAL = 450;

  private static final String NAME = "baton";
  private static final String TLS = "quarkus.tls." + NAME + ".";

  @Override
  public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
    Map<String, String> values = values(new EarlySettingReader(context)::read);
    return values.isEmpty()
        ? List.of()
        : List.of(new PropertiesConfigSource(values, "baton-listener-tls", ORDINAL));
  }

  /**
   * Returns the settings of the listener; none without a certificate.
   *
   * @throws IllegalArgumentException that names the key and what is allowed
   */
  static Map<String, String> values(Function<String, Optional<String>> keys) {
    TlsSettings settings = TlsSettings.read(keys);
    ClientAuthentication clients =
        ClientAuthentication.of(
            keys.apply(CLIENT_AUTH).map(String::strip).filter(text -> !text.isEmpty()));
    if (settings.certificate().isEmpty()) {
      if (clients != ClientAuthentication.NONE) {
        throw new IllegalArgumentException(
            "%s=%s needs %s".formatted(CLIENT_AUTH, clients.word(), TlsSettings.CERTIFICATE));
      }
      return Map.of();
    }
    Map<String, String> values = new HashMap<>();
    values.put(TLS + "key-store.pem.0.cert", settings.certificate().get().toString());
    values.put(TLS + "key-store.pem.0.key", settings.key().orElseThrow().toString());
    values.put("quarkus.http.tls-configuration-name", NAME);
    values.put("quarkus.http.insecure-requests", "disabled");
    values.put("quarkus.http.ssl-port", "${quarkus.http.port}");
    if (clients != ClientAuthentication.NONE) {
      String trust =
          settings
              .trust()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "%s=%s needs %s"
                              .formatted(CLIENT_AUTH, clients.word(), TlsSettings.TRUST)))
              .toString();
      values.put(TLS + "trust-store.pem.certs", trust);
    }
    return values;
  }

  @Override
  public OptionalInt getPriority() {
    return OptionalInt.of(ORDINAL);
  }
}
