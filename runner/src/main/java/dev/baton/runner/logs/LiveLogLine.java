/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A line, or a piece of a long one, as published to {@code baton.logs}.
 *
 * @param step its path
 * @param stream {@code stdout}, {@code stderr}, or {@code baton} for lines of the runner itself
 * @param text as UTF-8 with replacement characters, without the line end
 * @param line its number among the epoch's lines, from 1
 * @param cut whether the next line of its attempt and stream continues it; null: no
 * @param passedLines lines of the run that were skipped before this one because the buffer was
 *     full; null: none. They are in the run's log.
 * @param missingLines lines missing at this place, which are in no log; null: none
 */
public record LiveLogLine(
    String run,
    int epoch,
    String step,
    int visit,
    int attempt,
    String stream,
    Instant time,
    String text,
    long line,
    @Nullable Boolean cut,
    @Nullable Long passedLines,
    @Nullable Long passedBytes,
    @Nullable Long missingLines,
    @Nullable Long missingBytes) {

  LiveLogLine passed(long lines, long bytes) {
    return new LiveLogLine(
        run,
        epoch,
        step,
        visit,
        attempt,
        stream,
        time,
        text,
        line,
        cut,
        lines == 0 ? null : lines,
        bytes == 0 ? null : bytes,
        missingLines,
        missingBytes);
  }
}
