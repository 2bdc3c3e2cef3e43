/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Changes inputs at random, without feedback: what a build can afford of a fuzzer. */
final class InputMutator {
  private static final byte[] SIGNS =
      "{}[]\",:\\\n\0 -.09$()<>|/".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

  private final List<byte[]> seeds;
  private final SplittableRandom random;

  /**
   * @param seeds at least one
   */
  InputMutator(List<byte[]> seeds, long seed) {
    this.seeds = seeds;
    this.random = new SplittableRandom(seed);
  }

  byte[] next() {
    byte[] result = seeds.get(random.nextInt(seeds.size())).clone();
    for (int i = random.nextInt(4); i >= 0; i--) {
      result = random.nextInt(6) == 0 ? spliced(result) : changed(result);
    }
    return result;
  }

  private byte[] changed(byte[] bytes) {
    if (bytes.length == 0 || random.nextInt(12) == 0) {
      return Arrays.copyOf(bytes, random.nextInt(bytes.length + 10));
    }
    // The most important bytes are at the beginning.
    int near = random.nextBoolean() ? Math.min(bytes.length, 64) : bytes.length;
    int at = random.nextInt(near);
    bytes[at] =
        switch (random.nextInt(5)) {
          case 0 -> (byte) (bytes[at] ^ 1 << random.nextInt(8));
          case 1 -> (byte) -1;
          case 2 -> (byte) 0x80;
          case 3 -> SIGNS[random.nextInt(SIGNS.length)];
          default -> (byte) random.nextInt(256);
        };
    return bytes;
  }

  /** Puts a part of a seed into another place, over or between what is there. */
  private byte[] spliced(byte[] bytes) {
    byte[] other = seeds.get(random.nextInt(seeds.size()));
    int from = random.nextInt(other.length + 1);
    int length = random.nextInt(Math.min(other.length - from, 64) + 1);
    int at = random.nextInt(bytes.length + 1);
    int dropped = random.nextBoolean() ? 0 : random.nextInt(Math.min(64, bytes.length - at) + 1);
    byte[] result = new byte[bytes.length + length - dropped];
    System.arraycopy(bytes, 0, result, 0, at);
    System.arraycopy(other, from, result, at, length);
    System.arraycopy(bytes, at + dropped, result, at + length, bytes.length - at - dropped);
    return result;
  }
}
