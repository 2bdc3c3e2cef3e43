/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.trace.EventTypeRegistry;
import java.util.Set;

/**
 * Reports runs that ended or started to wait, once their events are stored. Only a hint: it is lost
 * if the process exits; the events are not.
 */
public record RunsQuiescedEvent(Set<String> runs) {
  /**
   * Must be the same types as in the index {@code event_to_archive_or_paused}, which has the old
   * names too, and the request of a pause.
   */
  static final Set<String> TYPES =
      Set.of(
          EventTypeRegistry.PREFIX + "run_completed",
          EventTypeRegistry.PREFIX + "run_failed",
          EventTypeRegistry.PREFIX + "run_cancelled",
          EventTypeRegistry.PREFIX + "run_lost",
          EventTypeRegistry.PREFIX + "run_paused",
          EventTypeRegistry.PREFIX + "approval_requested");

  public RunsQuiescedEvent {
    runs = Set.copyOf(runs);
  }
}
