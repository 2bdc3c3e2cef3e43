/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

/**
 * A line of a log, or a piece of a long one.
 *
 * @param attempt index of its attempt in the table of its file or chunk
 * @param micros when it was read, in microseconds since 1970
 * @param cut whether the next record of its attempt and stream continues it
 * @param bytes as the step wrote them, without the line end; at most {@link #MAX_BYTES}
 * @param missing the lines missing at this position; only in the stream {@code baton}
 */
public record LogRecord(
    int attempt, LogStream stream, long micros, boolean cut, byte[] bytes, Missing missing) {
  /** Maximum bytes of a record's text. */
  public static final int MAX_BYTES = 16 * 1024;

  /**
   * Lines, or pieces of long ones, that were read but dropped.
   *
   * @param bytes without line ends
   */
  public record Missing(long lines, long bytes) {
    public static final Missing NOTHING = new Missing(0, 0);
  }
}
