/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;

/** The digests of files, one after the other. For one thread. */
final class FileDigest {
  private final MessageDigest sha = Sha256.create();
  private final byte[] buffer = new byte[1 << 16];

  /**
   * Reads at most {@code size} bytes, so that a file that keeps growing ends.
   *
   * @return how many there were
   */
  long read(Path file, long size) throws IOException {
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      return read(in, size);
    }
  }

  long read(InputStream in, long size) throws IOException {
    // What came of a file whose reading failed must not be in the next one's digest.
    sha.reset();
    long left = size;
    while (left > 0) {
      int n = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (n < 0) {
        break;
      }
      sha.update(buffer, 0, n);
      left -= n;
    }
    return size - left;
  }

  /** Of what was read last. */
  String sha256() {
    return Sha256.finish(sha);
  }
}
