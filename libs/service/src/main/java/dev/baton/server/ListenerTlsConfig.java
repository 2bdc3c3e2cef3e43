/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import dev.baton.protocol.tls.TlsSettings;
import io.smallrye.config.WithDefault;
import java.util.Map;
import java.util.Optional;

/**
 * {@code baton.tls.*}: what a service's listener and its clients present and trust. Read by {@link
 * ListenerTlsSource} and {@link dev.baton.protocol.tls.TlsSettings}.
 */
public interface ListenerTlsConfig {
  /** A PEM file with the certificate of the listener, and of clients where a peer requests one. */
  Optional<String> certificate();

  /** A PEM file with its key. */
  Optional<String> key();

  /** A PEM file with the authorities of Baton's services and their clients. */
  Optional<String> trust();

  /** Whether clients of the listener need a certificate: none, requested or required. */
  @WithDefault("none")
  String clientAuth();

  /** Returns what clients use. */
  default TlsSettings settings() {
    Map<String, Optional<String>> values =
        Map.of(
            TlsSettings.TRUST,
            trust(),
            TlsSettings.CERTIFICATE,
            certificate(),
            TlsSettings.KEY,
            key());
    return TlsSettings.read(key -> values.getOrDefault(key, Optional.empty()));
  }
}
