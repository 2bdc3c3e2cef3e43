/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.git;

import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads whole files up to a maximum size. */
final class SmallFileReader {
  private SmallFileReader() {}

  /** Reads raw text, one byte per char. */
  static String text(OpenDirectory in, String name, int max, StatBuffer stat) throws IOException {
    return new String(bytes(in, name, max, stat), StandardCharsets.ISO_8859_1);
  }

  /**
   * Reads the bytes of a regular file.
   *
   * @throws IOException also if the file has more than {@code max} bytes
   */
  static byte[] bytes(OpenDirectory in, String name, int max, StatBuffer stat) throws IOException {
    try (OpenFile file = in.openForReading(name, stat)) {
      if (stat.size > max) {
        throw new IOException(
            "%s has %d bytes; at most %d are read".formatted(file.path(), stat.size, max));
      }
      byte[] bytes = new byte[(int) stat.size];
      int length = file.read(bytes, 0, bytes.length);
      return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }
  }
}
