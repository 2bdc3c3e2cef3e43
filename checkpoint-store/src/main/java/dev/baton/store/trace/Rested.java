/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.trace.EventTypes;
import java.util.Set;

/**
 * Runs that have ended or begun to wait, told once the events that say so are stored. Only a hint:
 * it is lost with the process, the events are not.
 */
public record Rested(Set<String> runs) {
  /** The same as in the index {@code event_to_archive}. */
  static final Set<String> TYPES =
      Set.of(
          EventTypes.PREFIX + "run_completed",
          EventTypes.PREFIX + "run_failed",
          EventTypes.PREFIX + "run_cancelled",
          EventTypes.PREFIX + "run_lost",
          EventTypes.PREFIX + "run_paused",
          EventTypes.PREFIX + "checkpoint_waiting");

  public Rested {
    runs = Set.copyOf(runs);
  }
}
