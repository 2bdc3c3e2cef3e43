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
import java.nio.file.StandardOpenOption;

/** The file a process writes to: one earlier part is kept, and its end can be quoted. */
public final class LogFile {

  private static final long ROTATE_BYTES = 16L * 1024 * 1024;
  private static final long MOST_BYTES = 64L * 1024 * 1024;
  private static final int TAIL_BYTES = 2_000;

  private final Path path;
  private final long most;

  /** The file at this path, which need not exist. */
  public LogFile(Path path) {
    this(path, MOST_BYTES);
  }

  /**
   * @param most how long it may become before {@link #bound()} cuts it, in bytes
   */
  LogFile(Path path, long most) {
    this.path = path;
    this.most = most;
  }

  /** Makes room for another start and says where that start will begin, in bytes. */
  public long begin() throws IOException {
    Files.createDirectories(path.toAbsolutePath().getParent());
    if (!Files.exists(path)) {
      return 0;
    }
    if (Files.size(path) > ROTATE_BYTES) {
      Files.move(path, earlier(), StandardCopyOption.REPLACE_EXISTING);
      return 0;
    }
    return Files.size(path);
  }

  /**
   * Puts what is there aside once it is too long, while the process goes on writing. That holds the
   * file open, at whose end every write goes: it can only be copied and emptied, and a line that
   * comes in between is lost.
   *
   * @throws IOException when the earlier part could not be kept; the file is emptied in any case
   */
  void bound() throws IOException {
    if (!Files.exists(path) || Files.size(path) <= most) {
      return;
    }
    try {
      Files.copy(path, earlier(), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      Files.deleteIfExists(earlier());
      throw e;
    } finally {
      Files.newByteChannel(path, StandardOpenOption.WRITE).truncate(0).close();
    }
  }

  private Path earlier() {
    return path.resolveSibling(path.getFileName() + ".1");
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
