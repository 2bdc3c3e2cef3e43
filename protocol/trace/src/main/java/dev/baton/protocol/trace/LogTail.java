/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/**
 * What remains in the trace of a step's stdout and stderr; the whole of it is the run's log.
 *
 * @param tail at most the last 4 KiB, as UTF-8 with replacement characters
 * @param digest of all bytes in the order they were read
 * @param bytes how many there were
 * @param lines how many the log has of them; a line of more than 16 KiB counts as more than one
 * @param missingLines how many were read and are not in the log, for want of room
 * @param missingBytes of the missing lines, without line ends
 */
public record LogTail(
    String tail, String digest, long bytes, long lines, long missingLines, long missingBytes) {
  /** Of a log that is whole. */
  public LogTail(String tail, String digest, long bytes) {
    this(tail, digest, bytes, 0, 0, 0);
  }
}
