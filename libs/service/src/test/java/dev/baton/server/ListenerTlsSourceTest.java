/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.tls.CertificateAuthority;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ListenerTlsSourceTest {
  private static Map<String, String> values(Map<String, String> keys) {
    return ListenerTlsSource.values(key -> Optional.ofNullable(keys.get(key)));
  }

  @Test
  void shouldChangeNothingWithoutACertificate() {
    assertThat(values(Map.of())).isEmpty();
  }

  @Test
  void shouldAcceptOnlyTlsWithACertificate(@TempDir Path folder) throws Exception {
    CertificateAuthority authority = CertificateAuthority.of(folder);
    CertificateAuthority.Issued issued = authority.issue("a", List.of("ip:127.0.0.1"), 1);
    String certificate = issued.certificate().toString();
    String key = issued.key().toString();
    String trust = authority.certificate().toString();

    assertThat(values(Map.of("baton.tls.certificate", certificate, "baton.tls.key", key)))
        .containsEntry("quarkus.tls.baton.key-store.pem.0.cert", certificate)
        .containsEntry("quarkus.tls.baton.key-store.pem.0.key", key)
        .containsEntry("quarkus.http.insecure-requests", "disabled")
        .containsEntry("quarkus.http.tls-configuration-name", "baton")
        .doesNotContainKey("quarkus.tls.baton.trust-store.pem.certs");
    assertThat(
            values(
                Map.of(
                    "baton.tls.certificate",
                    certificate,
                    "baton.tls.key",
                    key,
                    "baton.tls.trust",
                    trust,
                    "baton.tls.client-auth",
                    "required")))
        .containsEntry("quarkus.tls.baton.trust-store.pem.certs", trust);
    assertRefused(
        Map.of(
            "baton.tls.certificate",
            certificate,
            "baton.tls.key",
            key,
            "baton.tls.client-auth",
            "requested"),
        "baton.tls.client-auth=requested needs baton.tls.trust");
    assertRefused(
        Map.of("baton.tls.certificate", certificate, "baton.tls.key", certificate),
        "baton.tls.certificate, baton.tls.key: " + certificate + " has no private key in PEM");
  }

  @Test
  void shouldNameTheKeyOfAnInvalidSetting() {
    assertRefused(Map.of("baton.tls.client-auth", "yes"), "allowed: none, requested, required");
    assertRefused(
        Map.of("baton.tls.client-auth", "required"),
        "baton.tls.client-auth=required needs baton.tls.certificate");
    assertRefused(
        Map.of("baton.tls.key", "/a.key"),
        "baton.tls.certificate and baton.tls.key belong together");
    assertRefused(
        Map.of("baton.tls.trust", "/absent.pem"), "baton.tls.trust: /absent.pem cannot be read");
  }

  private static void assertRefused(Map<String, String> keys, String message) {
    assertThatThrownBy(() -> values(keys))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
