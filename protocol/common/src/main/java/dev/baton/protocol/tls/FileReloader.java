/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.tls;

import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value that was read from files, which is read again when their content has changed: checked
 * when the value is used, with a pause in between. A content that cannot be used leaves the last
 * value in place: files of a pair are seldom exchanged at the same instant. Thread-safe.
 */
final class FileReloader<T> {
  private static final Logger LOG = System.getLogger(FileReloader.class.getName());

  /** The pause between two checks. */
  static final Duration PAUSE = Duration.ofSeconds(1);

  /** Creates the value. */
  @FunctionalInterface
  interface Reader<T> {
    /**
     * @param contents of the files, in their order
     * @throws IOException that names the file
     */
    T read(List<String> contents) throws IOException;
  }

  private final List<Path> files;
  private final Reader<T> reader;
  private final long pause;
  private List<String> contents;
  private T value;
  private @Nullable List<String> refused;
  private long looked = System.nanoTime();

  /**
   * @throws IOException that names the file that cannot be used
   */
  FileReloader(List<Path> files, Reader<T> reader, Duration pause) throws IOException {
    this.files = files;
    this.reader = reader;
    this.pause = pause.toNanos();
    contents = contents(files);
    value = reader.read(contents);
  }

  synchronized T get() {
    if (System.nanoTime() - looked >= pause) {
      looked = System.nanoTime();
      reload();
    }
    return value;
  }

  private void reload() {
    List<String> found = null;
    try {
      found = contents(files);
      if (found.equals(contents) || found.equals(refused)) {
        return;
      }
      value = reader.read(found);
      contents = found;
      refused = null;
      LOG.log(Logger.Level.INFO, "read again: {0}", files);
    } catch (IOException e) {
      if (found == null || !found.equals(refused)) {
        LOG.log(
            Logger.Level.WARNING,
            "{0}; its last content stays in use",
            String.valueOf(e.getMessage()));
      }
      refused = found == null ? refused : found;
    }
  }

  private static List<String> contents(List<Path> files) throws IOException {
    List<String> contents = new ArrayList<>();
    for (Path file : files) {
      contents.add(PemFile.read(file));
    }
    return contents;
  }
}
