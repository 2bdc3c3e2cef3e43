/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.testing.StoreTestConfigFactory;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreConfigTest {

  @Test
  void shouldHaveTheseDefaults() {
    StoreConfig config = StoreTestConfigFactory.of(Map.of());

    assertThat(config.db().host()).isEqualTo("127.0.0.1");
    assertThat(config.db().port()).isEqualTo(5432);
    assertThat(config.db().name()).isEqualTo("baton");
    assertThat(config.db().user()).isEqualTo("baton");
    assertThat(config.db().password()).isEqualTo("baton");
    assertThat(config.objectStore().endpoint()).isEqualTo(URI.create("http://127.0.0.1:9000"));
    assertThat(config.objectStore().bucket()).isEqualTo("baton");
    assertThat(config.objectStore().accessKey()).isEqualTo("baton");
    assertThat(config.objectStore().secretKey()).isEqualTo("baton-secret");
    assertThat(config.objectStore().region()).isEqualTo("us-east-1");
    assertThat(config.objectStore().urlLife()).isEqualTo(Duration.ofHours(1));
    assertThat(config.snapshot().defaultWait()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.snapshot().maxBytes()).isEqualTo(128 << 20);
    assertThat(config.verify().delay()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.scrub().bytesPerSecond()).isEqualTo(4 << 20);
    assertThat(config.scrub().after()).isEqualTo(Duration.ofDays(30));
    assertThat(config.gc().enabled()).isTrue();
    assertThat(config.gc().interval()).isEqualTo(Duration.ofHours(1));
    assertThat(config.gc().grace()).isEqualTo(Duration.ofHours(24));
    assertThat(config.retention().enabled()).isTrue();
    assertThat(config.retention().interval()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.retention().maxCheckpoints()).isEqualTo(10);
    assertThat(config.retention().maxAge()).isEqualTo(Duration.ofHours(168));
    assertThat(config.retention().keepComplete()).isTrue();
    assertThat(config.retention().keepError()).isTrue();
    assertThat(config.retention().projects()).isEmpty();
    assertThat(config.retention().workflows()).isEmpty();
    assertThat(config.archive().git()).isEmpty();
    assertThat(config.archive().maxWorkspace()).isEqualTo(64 << 20);
    assertThat(config.archive().interval()).isEqualTo(Duration.ofMinutes(5));
    assertThat(config.storeInstance()).endsWith("-8082");
  }

  @ParameterizedTest
  @CsvSource({
    "baton.db.port, 70000, a port from 1 to 65535",
    "baton.db.port, many, a port from 1 to 65535",
    "baton.db.host, two words, printable ASCII",
    "baton.object-store.endpoint, ftp://x, http://host:port",
    "baton.object-store.bucket, B, 3 to 63 lower-case letters",
    "baton.object-store.url-life, PT10S, a duration from PT1M to PT168H",
    "baton.snapshot.default-wait, 2h, a duration from PT0.1S to PT1M",
    "baton.snapshot.max-bytes, 100, bytes from 1048576 to 1073741824",
    "baton.verify.delay, 2h, a duration from PT0S to PT1H",
    "baton.scrub.bytes-per-second, fast, bytes a second from 0 to 1073741824",
    "baton.scrub.after, PT0S, a duration from PT1S to PT87600H",
    "baton.gc.grace, 1m, a duration from PT2M to PT87600H",
    "baton.gc.interval, 8h9, a duration from PT1S to PT168H",
    "baton.archive.git, runs.git, the absolute path of a folder",
    "baton.archive.max-workspace, 8589934593, bytes from 0 to 8589934592",
    "baton.archive.interval, 0s, a duration from PT1S to PT168H",
    "baton.retention.max-checkpoints, 0, a number from 1 to 1000000",
    "baton.retention.projects.lab.max-checkpoints, none, a number from 1 to 1000000",
  })
  void shouldNameTheKeyTheValueAndWhatIsAllowed(String key, String value, String allowed) {
    assertThatThrownBy(() -> StoreTestConfigFactory.of(Map.of(key, value)))
        .hasMessageContaining(key)
        .hasMessageContaining(value)
        .hasMessageContaining(allowed);
  }

  @Test
  void shouldRefuseDefaultCredentialsForServersOfOtherHosts() {
    assertThat(StoreCredentialValidator.problems(StoreTestConfigFactory.of(Map.of()))).isEmpty();
    assertThat(
            StoreCredentialValidator.problems(
                StoreTestConfigFactory.of(
                    Map.of(
                        "baton.db.host",
                        "192.0.2.1",
                        "baton.object-store.endpoint",
                        "https://192.0.2.2"))))
        .hasSize(2)
        .anySatisfy(line -> assertThat(line).startsWith("baton.db.password is not set"))
        .anySatisfy(
            line -> assertThat(line).startsWith("baton.object-store.secret-key is not set"));
    assertThat(
            StoreCredentialValidator.problems(
                StoreTestConfigFactory.of(
                    Map.of("baton.db.host", "192.0.2.1", "baton.db.password", "another password"))))
        .isEmpty();
  }
}
