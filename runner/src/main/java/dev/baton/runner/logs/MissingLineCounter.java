/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.log.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * Counts the lines of one attempt that are in no log, and those of them that no notice has reported
 * yet. Thread-safe.
 */
final class MissingLineCounter {
  private long lines;
  private long bytes;
  private long owedLines;
  private long owedBytes;
  private String why = "";

  synchronized void add(long length, String reason) {
    lines++;
    bytes += length;
    owedLines++;
    owedBytes += length;
    why = reason;
  }

  synchronized LogRecord.Missing all() {
    return new LogRecord.Missing(lines, bytes);
  }

  synchronized String why() {
    return why;
  }

  /** Returns the lines that a notice must report now, and resets them; null if there are none. */
  synchronized LogRecord.@Nullable Missing take() {
    if (owedLines == 0) {
      return null;
    }
    LogRecord.Missing owed = new LogRecord.Missing(owedLines, owedBytes);
    owedLines = 0;
    owedBytes = 0;
    return owed;
  }
}
