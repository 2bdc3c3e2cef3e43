/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/**
 * The end of a step's stdout and stderr, as kept in the trace; the complete output is in the run's
 * log.
 *
 * @param tail at most the last 4 KiB, as UTF-8 with replacement characters
 * @param digest of all bytes in the order they were read
 * @param bytes number of all bytes
 * @param lines number of its lines in the log; a line of more than 16 KiB counts as more than one
 * @param missingLines lines that were read but dropped from the log, for lack of space
 * @param missingBytes bytes of the missing lines, without line ends
 */
public record LogTail(
    String tail, String digest, long bytes, long lines, long missingLines, long missingBytes) {
  /** Creates the tail of a complete log. */
  public LogTail(String tail, String digest, long bytes) {
    this(tail, digest, bytes, 0, 0, 0);
  }
}
