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
 * @param stream {@code stdout} or {@code stderr}
 */
record LogLine(
    String step, int attempt, int epoch, String stream, @Nullable Instant time, String text) {}
