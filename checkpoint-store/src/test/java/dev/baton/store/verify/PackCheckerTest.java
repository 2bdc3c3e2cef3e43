/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.snapshot.Pack;
import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.format.PackIndex;
import dev.baton.store.testing.PackedTestTree;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PackCheckerTest {
  /** A few kilobytes when it is compressed. */
  private static final int ZEROS = 4 << 20;

  @Test
  void shouldRefuseAPackThatDecompressesToMoreThanAllowed() throws Exception {
    Pack pack = PackedTestTree.of(Map.of("zeros", new byte[ZEROS])).packs().getFirst();
    PackIndex index =
        PackIndex.decode(
            pack.ref(),
            Arrays.copyOfRange(
                pack.bytes(), pack.length() - pack.ref().indexBytes(), pack.length()));

    assertThatThrownBy(() -> PackChecker.requireBounded(index, ZEROS))
        .isInstanceOf(SnapshotException.TooLarge.class)
        .hasMessageContaining("decompresses to");
    assertThatCode(() -> PackChecker.requireBounded(index, ZEROS + 1_000_000L))
        .doesNotThrowAnyException();
  }
}
