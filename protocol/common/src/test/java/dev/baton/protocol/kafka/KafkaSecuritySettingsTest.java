/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaSecuritySettingsTest {
  private static final String SECRET = "pass\"word\\1";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private static KafkaSecuritySettings read(Map<String, String> values) {
    Map<String, String> keys = new HashMap<>();
    values.forEach((name, value) -> keys.put("baton.kafka." + name, value));
    return KafkaSecuritySettings.read(key -> Optional.ofNullable(keys.get(key)));
  }

  @Test
  void shouldBeEmptyWithoutKeys() {
    assertThat(read(Map.of()).properties()).isEmpty();
  }

  @Test
  void shouldReadThePasswordOfAFileAndEscapeIt() throws Exception {
    Path file = Files.writeString(folder.resolve("password"), SECRET + "\n");

    KafkaSecuritySettings settings =
        read(
            Map.of(
                "security.protocol", "SASL_SSL",
                "sasl.mechanism", "SCRAM-SHA-512",
                "sasl.username", "runner",
                "sasl.password-file", file.toString()));

    assertThat(settings.properties())
        .containsEntry(
            "sasl.jaas.config",
            "org.apache.kafka.common.security.scram.ScramLoginModule required"
                + " username=\"runner\" password=\"pass\\\"word\\\\1\";")
        .doesNotContainKeys("sasl.username", "sasl.password");
    assertThat(settings.toString()).doesNotContain("pass");
  }

  @Test
  void shouldTakeOnlySecurityFromAClientFileAndPreferKeys() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("client.properties"),
            "security.protocol=SSL\nssl.truststore.type=PEM\nacks=0\nbootstrap.servers=x:1\n");

    assertThat(read(Map.of("client-file", file.toString())).properties())
        .isEqualTo(Map.of("security.protocol", "SSL", "ssl.truststore.type", "PEM"));
    assertThat(
            read(Map.of("client-file", file.toString(), "ssl.truststore.type", "JKS")).properties())
        .containsEntry("ssl.truststore.type", "JKS");
  }

  @Test
  void shouldNameTheKeyOfAnIncompleteSettingWithoutItsSecret() {
    assertThatThrownBy(() -> read(Map.of("security.protocol", "TLS")))
        .hasMessageContaining("baton.kafka.security.protocol=TLS");
    assertThatThrownBy(() -> read(Map.of("ssl.truststore.type", "PEM")))
        .hasMessageContaining("baton.kafka.security.protocol is missing");
    assertThatThrownBy(() -> read(Map.of("security.protocol", "SASL_SSL")))
        .hasMessageContaining("needs baton.kafka.sasl.username");
    assertThatThrownBy(() -> read(Map.of("security.protocol", "SASL_SSL", "sasl.username", "me")))
        .hasMessageContaining("baton.kafka.sasl.password");
    assertThatThrownBy(
            () ->
                read(
                    Map.of(
                        "security.protocol", "SASL_SSL",
                        "sasl.mechanism", "SCRAM",
                        "sasl.username", "me",
                        "sasl.password", "hidden-value")))
        .hasMessageContaining("SCRAM-SHA-256")
        .hasMessageNotContaining("hidden-value");
    assertThatThrownBy(() -> read(Map.of("client-file", "/absent/file")))
        .hasMessageContaining("baton.kafka.client-file=/absent/file");
  }

  @Test
  void shouldPassKeysToAnotherProcessByTheirPaths() {
    Map<String, String> keys = Map.of("baton.kafka.sasl.password-file", "/run/secrets/kafka");

    assertThat(KafkaSecuritySettings.environment(key -> Optional.ofNullable(keys.get(key))))
        .isEqualTo(Map.of("BATON_KAFKA_SASL_PASSWORD_FILE", "/run/secrets/kafka"));
  }
}
