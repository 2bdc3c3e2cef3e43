/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.startup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestedVersionCheckerTest {
  @Test
  void shouldSayWhatWasNeverTried() {
    assertThat(TestedVersionChecker.postgres(180_001)).isEmpty();
    assertThat(TestedVersionChecker.postgres(140_009).orElseThrow()).contains("14", "18 to 18");
    assertThat(TestedVersionChecker.postgres(190_000)).isPresent();
    assertThat(TestedVersionChecker.kafka(TestedVersionChecker.KAFKA_TO)).isEmpty();
    assertThat(TestedVersionChecker.kafka(0).orElseThrow()).contains("none");
    assertThat(TestedVersionChecker.kafka(TestedVersionChecker.KAFKA_FROM - 1)).isPresent();
  }
}
