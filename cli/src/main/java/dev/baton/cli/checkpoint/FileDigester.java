/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.protocol.digest.Digest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;

/** Computes the digests of files of any size. */
public final class FileDigester {
  private static final int BUFFER = 1 << 16;

  private FileDigester() {}

  /** Returns the file's digest in the notation of {@link Digest}. */
  public static String of(Path file) throws IOException {
    MessageDigest digest = Digest.sha256();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[BUFFER];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
      }
    }
    return Digest.ofHash(digest.digest());
  }
}
