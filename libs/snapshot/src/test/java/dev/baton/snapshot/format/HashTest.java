/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashTest {
  private static final String ABC =
      "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @Test
  void shouldBeSha256() {
    Hash hash = Hash.of("xabcx".getBytes(StandardCharsets.US_ASCII), 1, 3);

    assertThat(hash).hasToString(ABC);
    assertThat(Hash.parse(ABC)).isEqualTo(hash).hasSameHashCodeAs(hash);
    assertThat(Hash.read(hash.toBytes(), 0)).isEqualTo(hash);
  }

  @Test
  void shouldBeOrderedAsItsBytes() {
    RandomEntries random = new RandomEntries(new SplittableRandom(1));
    for (int i = 0; i < 1000; i++) {
      Hash one = random.hash();
      Hash other = random.hash();

      assertThat(Integer.signum(one.compareTo(other)))
          .isEqualTo(Integer.signum(Arrays.compareUnsigned(one.toBytes(), other.toBytes())));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sha256:",
        "sha512:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "sha256:BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a"
      })
  void shouldRefuseOtherText(String text) {
    assertThatThrownBy(() -> Hash.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("64 lower-case hexadecimal digits");
  }
}
