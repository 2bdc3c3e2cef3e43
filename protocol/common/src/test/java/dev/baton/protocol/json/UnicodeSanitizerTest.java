/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnicodeSanitizerTest {
  @Test
  void shouldReplaceOnlySurrogatesWithoutTheirPartner() {
    assertThat(UnicodeSanitizer.of("a😀b")).isEqualTo("a😀b");
    assertThat(UnicodeSanitizer.of("\ud83d")).isEqualTo("\ufffd");
    assertThat(UnicodeSanitizer.of("\ude00\ud83d\ude00\ud83dx")).isEqualTo("\ufffd😀\ufffdx");
    assertThat(UnicodeSanitizer.of("")).isEmpty();
    assertThat(UnicodeSanitizer.isWellFormed("😀")).isTrue();
    assertThat(UnicodeSanitizer.isWellFormed("😀\ud83d")).isFalse();
  }
}
