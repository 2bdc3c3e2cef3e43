/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FastCdcChunkerTest {
  private static final int MIB = 1 << 20;

  @Test
  void shouldCutNearTheAverage() {
    byte[] bytes = random(64 * MIB, 1);

    List<Integer> lengths = lengths(bytes);

    assertThat(lengths.stream().mapToInt(Integer::intValue).sum()).isEqualTo(bytes.length);
    assertThat(lengths.subList(0, lengths.size() - 1))
        .allMatch(length -> length >= FastCdcChunker.MIN && length <= FastCdcChunker.MAX);
    assertThat(bytes.length / lengths.size()).isBetween(700 << 10, 1400 << 10);
  }

  @Test
  void shouldFindTheSameChunksAfterAnInsertion() {
    byte[] bytes = random(32 * MIB, 2);
    byte[] more = new byte[bytes.length + 5];
    int at = 10 * MIB;
    System.arraycopy(bytes, 0, more, 0, at);
    System.arraycopy(bytes, at, more, at + 5, bytes.length - at);

    Set<Hash> before = hashes(bytes);
    Set<Hash> changed = hashes(more);
    changed.removeAll(before);

    assertThat(changed).hasSizeBetween(1, 3);
  }

  /**
   * These numbers are part of the format: they must not change as long as version 1 is supported.
   */
  @Test
  void shouldCutWhereItAlwaysDid() {
    assertThat(lengths(random(6 * MIB, 3))).isEqualTo(CUTS_OF_SEED_3);
    assertThat(lengths(new byte[9 * MIB])).containsExactly(4 * MIB, 4 * MIB, MIB);
  }

  private static final List<Integer> CUTS_OF_SEED_3 =
      List.of(1_054_869, 1_531_816, 1_451_324, 1_443_719, 809_728);

  @Test
  void shouldNotCutLittle() {
    assertThat(FastCdcChunker.next(new byte[0], 0, 0, ChunkSizes.STANDARD)).isZero();
    assertThat(FastCdcChunker.next(new byte[10], 3, 7, ChunkSizes.STANDARD)).isEqualTo(7);
    assertThat(FastCdcChunker.next(random(MIB, 4), 0, FastCdcChunker.MIN, ChunkSizes.STANDARD))
        .isEqualTo(FastCdcChunker.MIN);
  }

  @Test
  void shouldCutWithinSmallBounds() {
    ChunkSizes sizes = ChunkSizes.GROWING;
    byte[] bytes = random(4 * MIB, 5);

    List<Integer> lengths = lengths(bytes, sizes);

    assertThat(lengths.subList(0, lengths.size() - 1))
        .allMatch(length -> length >= sizes.min() && length <= sizes.max());
    assertThat(bytes.length / lengths.size()).isBetween(12 << 10, 22 << 10);
    byte[] more = Arrays.copyOf(bytes, bytes.length + 100);
    assertThat(lengths(more, sizes).subList(0, lengths.size() - 1))
        .isEqualTo(lengths.subList(0, lengths.size() - 1));
  }

  @Test
  void shouldRefuseBoundsOutOfOrder() {
    assertThatThrownBy(() -> new ChunkSizes(4096, 4096, 5000, 65_536))
        .hasMessageContaining("an average of 5000 bytes");
    assertThatThrownBy(() -> new ChunkSizes(4096, 32_768, 16_384, 65_536))
        .hasMessageContaining("chunks of 32768 to 65536 bytes");
    assertThatThrownBy(() -> new ChunkSizes(70_000, 4096, 16_384, 65_536))
        .hasMessageContaining("files of 70000 bytes");
  }

  private static List<Integer> lengths(byte[] bytes) {
    return lengths(bytes, ChunkSizes.STANDARD);
  }

  private static List<Integer> lengths(byte[] bytes, ChunkSizes sizes) {
    List<Integer> lengths = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += lengths.getLast()) {
      lengths.add(FastCdcChunker.next(bytes, at, bytes.length - at, sizes));
    }
    return lengths;
  }

  private static Set<Hash> hashes(byte[] bytes) {
    Set<Hash> hashes = new HashSet<>();
    int at = 0;
    for (int length : lengths(bytes)) {
      hashes.add(Hash.of(bytes, at, length));
      at += length;
    }
    return hashes;
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }
}
