/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * Events that the control lane of a run lacks: they were lost after the orchestrator sent them.
 *
 * @param expected the first missing seq, 1 or more
 * @param found seq of the event that was read instead, above {@code expected}
 */
public record ControlGap(long expected, long found) {
  /** The lane, as in the id of an event. */
  public static final String LANE = "c";

  /** Reason of a {@code pause_requested}. */
  public static final String REASON = "log_gap";

  /** Describes the gap in one line. */
  @JsonIgnore
  public String message() {
    return "%s: lane %s: expected seq %d, found %d".formatted(REASON, LANE, expected, found);
  }
}
