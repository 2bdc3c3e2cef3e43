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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTlsSourceTest {
  private static Map<String, String> values(Map<String, String> keys) {
    return DatabaseTlsSource.values(key -> Optional.ofNullable(keys.get(key)));
  }

  @Test
  void shouldChangeNothingWithoutAMode() {
    assertThat(values(Map.of())).isEmpty();
  }

  @Test
  void shouldConfigureBothClients(@TempDir Path folder) throws Exception {
    CertificateAuthority authority = CertificateAuthority.of(folder);
    CertificateAuthority.Issued client = authority.issue("client", List.of("dns:client"), 1);
    String root = authority.certificate().toString();

    assertThat(
            values(
                Map.of(
                    "baton.db.ssl-mode",
                    "verify-full",
                    "baton.db.ssl-root-certificate",
                    root,
                    "baton.db.ssl-certificate",
                    client.certificate().toString(),
                    "baton.db.ssl-key",
                    client.key().toString())))
        .containsEntry("quarkus.datasource.reactive.postgresql.ssl-mode", "verify-full")
        .containsEntry("quarkus.datasource.reactive.hostname-verification-algorithm", "HTTPS")
        .containsEntry("quarkus.datasource.reactive.trust-certificate-pem.certs", root)
        .containsEntry(
            "quarkus.datasource.reactive.key-certificate-pem.keys", client.key().toString())
        .containsEntry("quarkus.datasource.jdbc.additional-jdbc-properties.sslmode", "verify-full")
        .containsEntry("quarkus.datasource.jdbc.additional-jdbc-properties.sslrootcert", root)
        .containsEntry("quarkus.datasource.jdbc.additional-jdbc-properties.pemKeyAlgorithm", "EC");
  }

  @Test
  void shouldNameTheKeyOfAnInvalidSetting(@TempDir Path folder) throws Exception {
    String empty = Files.writeString(folder.resolve("empty.pem"), "nothing").toString();

    assertRefused(Map.of("baton.db.ssl-mode", "prefer"), "baton.db.ssl-mode=prefer");
    assertRefused(Map.of("baton.db.ssl-mode", "verify-ca"), "baton.db.ssl-root-certificate");
    assertRefused(Map.of("baton.db.ssl-root-certificate", empty), "baton.db.ssl-mode is missing");
    assertRefused(
        Map.of("baton.db.ssl-mode", "require", "baton.db.ssl-key", empty),
        "baton.db.ssl-certificate");
    assertRefused(
        Map.of("baton.db.ssl-mode", "verify-ca", "baton.db.ssl-root-certificate", "/absent.pem"),
        "baton.db.ssl-root-certificate: /absent.pem cannot be read");
    assertRefused(
        Map.of("baton.db.ssl-mode", "verify-ca", "baton.db.ssl-root-certificate", empty),
        "baton.db.ssl-root-certificate: " + empty + " has no certificate in PEM");
  }

  private static void assertRefused(Map<String, String> keys, String message) {
    assertThatThrownBy(() -> values(keys))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
