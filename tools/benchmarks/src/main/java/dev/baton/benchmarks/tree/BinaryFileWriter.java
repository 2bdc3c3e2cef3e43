/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.tree;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Writes large binary files. */
final class BinaryFileWriter {
  private static final int BLOCK = 4_096;

  private BinaryFileWriter() {}

  /**
   * Writes blocks of which some compress and others do not.
   *
   * @param compressible the share of the compressible ones, in percent
   */
  static void write(Path file, int length, int compressible, SplittableRandom random)
      throws IOException {
    byte[] block = new byte[BLOCK];
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
      for (int left = length; left > 0; left -= BLOCK) {
        random.nextBytes(block);
        if (random.nextInt(100) < compressible) {
          records(block, random);
        }
        out.write(block, 0, Math.min(left, BLOCK));
      }
    }
  }

  /**
   * Writes records like tables in programs and databases: a few bytes differ among many equal ones.
   */
  private static void records(byte[] block, SplittableRandom random) {
    int width = 16 << random.nextInt(3);
    for (int at = 0; at < block.length; at += width) {
      Arrays.fill(block, at + 5, at + width, (byte) (at & 0x30));
    }
  }
}
