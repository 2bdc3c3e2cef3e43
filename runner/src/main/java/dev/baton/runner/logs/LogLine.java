/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import java.time.Instant;

/**
 * A line, or a piece of a long one, as it is on {@code baton.logs}.
 *
 * @param step its path
 * @param stream {@code stdout}, {@code stderr}, or {@code baton} for what the runner itself says
 * @param text at most {@link #MAX_BYTES} as UTF-8, without the line end
 */
public record LogLine(
    String run, int epoch, String step, int attempt, String stream, Instant time, String text) {
  public static final int MAX_BYTES = 16 * 1024;
}
