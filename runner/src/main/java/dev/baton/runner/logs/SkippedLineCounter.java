/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

/**
 * Counts the lines that the live tail of one run skipped, until a line reports them. Thread-safe.
 */
final class SkippedLineCounter {
  private long lines;
  private long bytes;

  synchronized void add(long moreLines, long moreBytes) {
    lines += moreLines;
    bytes += moreBytes;
  }

  synchronized boolean isEmpty() {
    return lines == 0 && bytes == 0;
  }

  /** Returns the line with the counts, and resets them to zero. */
  synchronized LiveLogLine onto(LiveLogLine line) {
    if (lines == 0 && bytes == 0) {
      return line;
    }
    LiveLogLine with = line.passed(lines, bytes);
    lines = 0;
    bytes = 0;
    return with;
  }
}
