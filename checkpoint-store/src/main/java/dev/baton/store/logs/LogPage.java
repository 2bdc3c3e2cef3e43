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
 * Lines of a run's log.
 *
 * @param epoch where to go on, with {@code line}; all lines before have been looked at
 * @param end whether the store has no lines from there on
 * @param closed whether there will be none of that epoch either; only at the end
 * @param lastMicros when the line before that place was read; 0: there is none, or it is not known
 * @param begun whether the store has a chunk of that epoch
 * @param cutOff the epochs that were left behind though their last chunk is not here
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

  /** A line; of what is known of it its number comes from its place. */
  public record Line(int epoch, long number, LogAttempt of, LogRecord record) {}
}
