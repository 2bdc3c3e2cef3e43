/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import java.net.URI;
import java.time.Instant;

/**
 * An event with its position in the trace.
 *
 * @param source the writer: {@code /baton/orchestrator} or {@code /baton/runner/<id>}
 * @param time for people only; the log decides the order
 */
public record TraceRecord(EventId id, URI source, Instant time, TraceEvent event) {
  public TraceRecord {
    boolean control = event instanceof TraceEvent.Control;
    if (control != id.lane().isControl()) {
      throw new IllegalArgumentException(
          EventTypeRegistry.of(event)
              + " does not belong into lane "
              + id.lane()
              + " ("
              + id
              + ")");
    }
  }

  public String run() {
    return id.run();
  }
}
