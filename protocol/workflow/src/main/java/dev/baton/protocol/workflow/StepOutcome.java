/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Optional;

/** How a visit of a step ended. */
public enum StepOutcome {
  SUCCESS,
  FAILURE,
  SKIPPED;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** Returns the outcome with this {@link #word}; empty when there is none. */
  public static Optional<StepOutcome> of(String word) {
    for (StepOutcome outcome : values()) {
      if (outcome.word().equals(word)) {
        return Optional.of(outcome);
      }
    }
    return Optional.empty();
  }

  /** The name in definitions, expressions and states. */
  @JsonValue
  public String word() {
    return word;
  }
}
