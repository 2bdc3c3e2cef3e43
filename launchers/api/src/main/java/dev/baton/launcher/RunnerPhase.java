/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How far a runner is in its place. The order of the constants is that of time. */
public enum RunnerPhase {
  /** Accepted by the place, which has no room for it yet. */
  QUEUED,
  /** What it executes is being fetched. */
  PULLING,
  /** Being created. */
  STARTING,
  /** Its process runs. It may not have attached yet. */
  RUNNING,
  /** Ended; its exit is or was reported. */
  ENDED,
  /** Not found, and nothing is known of its end. */
  GONE;

  /** Whether the runner exists and has not ended. */
  public boolean isLive() {
    return compareTo(ENDED) < 0;
  }

  /** Returns the word of the API and the database. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the phase with this word; empty when there is none. */
  public static Optional<RunnerPhase> of(String word) {
    return Arrays.stream(values()).filter(phase -> phase.word().equals(word)).findFirst();
  }
}
