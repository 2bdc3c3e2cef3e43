/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Searches a growing log for a line; each call reads only new data. Ignores incomplete lines. Not
 * thread-safe.
 */
final class LogLineScanner {

  /** Limit of the search: a start with more output than that has failed. */
  private static final int MOST_BYTES = 4 * 1024 * 1024;

  private final Pattern pattern;
  private final Path log;
  private final long end;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private long position;
  private boolean found;

  /**
   * @param from offset at which the search begins, in bytes
   */
  LogLineScanner(Pattern pattern, Path log, long from) {
    this.pattern = pattern;
    this.log = log;
    this.position = from;
    this.end = from + MOST_BYTES;
  }

  /** Whether such a line was found. */
  boolean found() {
    if (found) {
      return true;
    }
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      byte[] fresh = new byte[(int) Math.max(0, Math.min(end, file.length()) - position)];
      file.seek(position);
      file.readFully(fresh);
      position += fresh.length;
      search(fresh);
    } catch (IOException e) {
      // Not created yet: the process creates it at its start.
      return false;
    }
    return found;
  }

  private void search(byte[] fresh) {
    for (byte next : fresh) {
      if (next != '\n') {
        line.write(next);
      } else {
        found |= pattern.matcher(line.toString(StandardCharsets.UTF_8)).find();
        line.reset();
      }
    }
  }
}
