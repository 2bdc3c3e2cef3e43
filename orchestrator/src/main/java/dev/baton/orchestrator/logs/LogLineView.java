/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a step wrote: a line, or a piece of a long one.
 *
 * @param line its number among the lines of the epoch, from 1; 0: a foreign runner gave it none
 * @param stream {@code stdout}, {@code stderr}, or {@code baton} for what the runner or a reader
 *     says
 * @param cut whether the next line of its attempt and stream continues it; null: no
 * @param missingLines at this place; null: none, or it is not known how many
 */
record LogLineView(
    String step,
    int visit,
    int attempt,
    int epoch,
    long line,
    String stream,
    @Nullable Instant time,
    String text,
    @Nullable Boolean cut,
    @Nullable Long missingLines,
    @Nullable Long missingBytes) {

  /** A line of the reader itself. */
  static LogLineView notice(int epoch, long line, String text, @Nullable Long missing) {
    return new LogLineView("", 1, 1, epoch, line, "baton", null, text, null, missing, null);
  }
}
