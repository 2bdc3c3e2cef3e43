/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.tls.CertificateAuthority;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EarlySettingReaderTest {
  private static final int ENVIRONMENT = 300;

  @TempDir Path folder;

  /** Returns the settings of a service whose environment names the file, as in the Helm chart. */
  private SmallRyeConfig config(String file, Map<String, String> more) throws Exception {
    Path path = Files.writeString(folder.resolve("application.properties"), file);
    return new SmallRyeConfigBuilder()
        .addDefaultInterceptors()
        .addDiscoveredSources()
        .withSources(
            new PropertiesConfigSource(
                Map.of("smallrye.config.locations", path.toUri().toString()), "names", ENVIRONMENT))
        .withSources(new PropertiesConfigSource(more, "more", ENVIRONMENT + 1))
        .build();
  }

  @Test
  void shouldUseTheTlsSettingsOfALocatedFile() throws Exception {
    CertificateAuthority.Issued issued =
        CertificateAuthority.of(folder).issue("a", List.of("ip:127.0.0.1"), 1);
    SmallRyeConfig config =
        config(
            "quarkus.http.port=7070\nbaton.tls.certificate=%s\nbaton.tls.key=%s\n"
                .formatted(issued.certificate(), issued.key()),
            Map.of());

    assertThat(config.getRawValue("quarkus.http.tls-configuration-name")).isEqualTo("baton");
    assertThat(config.getRawValue("quarkus.http.insecure-requests")).isEqualTo("disabled");
    assertThat(config.getRawValue("quarkus.tls.baton.key-store.pem.0.cert"))
        .isEqualTo(issued.certificate().toString());
  }

  @Test
  void shouldUseTheKafkaAndDatabaseSettingsOfALocatedFile() throws Exception {
    SmallRyeConfig config =
        config("baton.kafka.security.protocol=SSL\nbaton.db.ssl-mode=require\n", Map.of());

    assertThat(config.getRawValue("kafka.security.protocol")).isEqualTo("SSL");
    assertThat(config.getRawValue("quarkus.datasource.jdbc.additional-jdbc-properties.sslmode"))
        .isEqualTo("require");
  }

  @Test
  void shouldPreferTheHigherOrdinal() throws Exception {
    assertThat(
            config("baton.db.ssl-mode=require\n", Map.of("baton.db.ssl-mode", "disable"))
                .getRawValue("quarkus.datasource.jdbc.additional-jdbc-properties.sslmode"))
        .isNotEqualTo("require");
  }
}
