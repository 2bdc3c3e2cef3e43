/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.sink.SinkRecord;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A row of {@code store.cut}: the workspace that an event carries. */
record CutRow(SinkRecord event, String step, Cut cut) {

  /** Null for an event without a workspace. */
  static @Nullable CutRow of(SinkRecord row) {
    TraceRecord known = row.known();
    return switch (known == null ? null : known.event()) {
      case TraceEvent.StepCompleted done when done.cut() != null ->
          new CutRow(row, done.step(), done.cut());
      case TraceEvent.CheckpointSaved saved when saved.cut() != null ->
          new CutRow(row, Objects.requireNonNullElse(saved.step(), ""), saved.cut());
      case null, default -> null;
    };
  }
}
