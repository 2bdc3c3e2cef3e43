/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import dev.baton.protocol.file.PrivateFolderCreator;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** The log file of a process: keeps one earlier part, and returns its end for messages. */
public final class LogFile {

  private static final long ROTATE_BYTES = 16L * 1024 * 1024;
  private static final long MOST_BYTES = 64L * 1024 * 1024;
  private static final int TAIL_BYTES = 2_000;

  private final Path path;
  private final long most;

  /** The file at this path, which may not exist. */
  public LogFile(Path path) {
    this(path, MOST_BYTES);
  }

  /**
   * @param most maximum size in bytes before {@link #bound()} cuts it
   */
  LogFile(Path path, long most) {
    this.path = path;
    this.most = most;
  }

  /**
   * Rotates the file for another start, and returns the offset at which that start begins, in
   * bytes.
   */
  public long begin() throws IOException {
    PrivateFolderCreator.create(Objects.requireNonNull(path.toAbsolutePath().getParent()));
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
   * Rotates the file when it is too long, while the process continues to write. The process has it
   * open in append mode, so it can only be copied and truncated; a line written in between is lost.
   *
   * @throws IOException when the earlier part could not be kept; the file is truncated in any case
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

  /** Returns the output since {@code from}, at most its last two thousand bytes. */
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
