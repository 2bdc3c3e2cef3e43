/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.config.SmallRyeConfigBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreConfigTest {

  @Test
  void shouldHaveTheseDefaults() {
    StoreConfig config = config(Map.of());

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
    assertThat(config.snapshot().maxBytes()).isEqualTo(32 << 20);
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
    "baton.snapshot.max-bytes, 100, bytes from 1048576 to 67108864",
  })
  void shouldNameTheKeyTheValueAndWhatIsAllowed(String key, String value, String allowed) {
    assertThatThrownBy(() -> config(Map.of(key, value)))
        .hasMessageContaining(key)
        .hasMessageContaining(value)
        .hasMessageContaining(allowed);
  }

  private static StoreConfig config(Map<String, String> values) {
    return new SmallRyeConfigBuilder()
        .addDefaultInterceptors()
        .withMapping(StoreConfig.class)
        .withDefaultValue("quarkus.http.port", "8082")
        .withDefaultValues(values)
        .build()
        .getConfigMapping(StoreConfig.class);
  }
}
