/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.OpenFile;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;

/** Reads a {@code .batonignore} file. */
final class IgnoreFileReader {
  private static final int MAX_BYTES = 1 << 20;

  private IgnoreFileReader() {}

  static byte[] read(OpenDirectory directory, StatBuffer stat) throws IOException {
    try (OpenFile file = directory.openForReading(IgnoreRuleSet.IGNORE_FILE, stat)) {
      if (stat.size > MAX_BYTES) {
        throw new IOException(
            "%s has %d bytes; at most %d are allowed, so it is not applied"
                .formatted(file.path(), stat.size, MAX_BYTES));
      }
      byte[] text = new byte[(int) stat.size];
      int length = file.read(text, 0, text.length);
      return length == text.length ? text : java.util.Arrays.copyOf(text, length);
    }
  }
}
