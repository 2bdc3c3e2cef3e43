/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A line, or a part of a long line, that a step wrote.
 *
 * @param line its number in the epoch, from 1; 0 when a foreign runner set none
 * @param stream {@code stdout}, {@code stderr}, or {@code baton} for messages of the runner or of
 *     the reader
 * @param cut whether the next line of its attempt and stream continues it; null means no
 * @param missingLines number of lines missing here; null when none are missing, or the number is
 *     unknown
 */
@Schema(name = "LogLine")
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

  /** A line written by the reader itself. */
  static LogLineView notice(int epoch, long line, String text, @Nullable Long missing) {
    return new LogLineView("", 1, 1, epoch, line, "baton", null, text, null, missing, null);
  }
}
