/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The file a process writes to: one earlier part is kept, and its end can be quoted. */
final class LogFile {

  private static final long ROTATE_BYTES = 16L * 1024 * 1024;
  private static final int TAIL_BYTES = 2_000;

  private final Path path;

  LogFile(Path path) {
    this.path = path;
  }

  /** Makes room for another start and says where that start will begin, in bytes. */
  long begin() throws IOException {
    Files.createDirectories(path.toAbsolutePath().getParent());
    if (!Files.exists(path)) {
      return 0;
    }
    if (Files.size(path) > ROTATE_BYTES) {
      Path earlier = path.resolveSibling(path.getFileName() + ".1");
      Files.move(path, earlier, StandardCopyOption.REPLACE_EXISTING);
      return 0;
    }
    return Files.size(path);
  }

  /** What was written since {@code from}, at most its last two thousand bytes. */
  String tail(long from) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      long start = Math.max(from, file.length() - TAIL_BYTES);
      byte[] bytes = new byte[(int) Math.max(0, file.length() - start)];
      file.seek(start);
      file.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8).strip();
    }
  }
}
