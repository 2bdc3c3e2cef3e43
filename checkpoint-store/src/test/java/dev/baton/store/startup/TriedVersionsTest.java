/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.startup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TriedVersionsTest {
  @Test
  void shouldSayWhatWasNeverTried() {
    assertThat(TriedVersions.postgres(180_001)).isEmpty();
    assertThat(TriedVersions.postgres(140_009).orElseThrow()).contains("14", "18 to 18");
    assertThat(TriedVersions.postgres(190_000)).isPresent();
    assertThat(TriedVersions.kafka(TriedVersions.KAFKA_TO)).isEmpty();
    assertThat(TriedVersions.kafka(0).orElseThrow()).contains("none");
    assertThat(TriedVersions.kafka(TriedVersions.KAFKA_FROM - 1)).isPresent();
  }
}
