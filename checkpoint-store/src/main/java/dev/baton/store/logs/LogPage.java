/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.logs;

import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogRecord;
import java.util.List;

/**
 * A page of a run's log.
 *
 * @param epoch continue here, at {@code line}; all earlier lines have been read
 * @param end whether the store has no lines from this position on
 * @param closed whether no further lines of the epoch will follow; only set at the end
 * @param lastMicros time of the last line before this position; 0 if there is none or it is not
 *     known
 * @param begun whether the store has a chunk of the epoch
 * @param cutOff the earlier epochs whose last chunk is not stored
 */
public record LogPage(
    List<Line> lines,
    int epoch,
    long line,
    boolean end,
    boolean closed,
    long lastMicros,
    boolean begun,
    List<Integer> cutOff) {

  /** A line; its number follows from its position. */
  public record Line(int epoch, long number, LogAttempt of, LogRecord record) {}
}
