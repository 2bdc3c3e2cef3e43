/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import java.util.Locale;

/** When a requested pause takes effect: the column {@code pause}, whose words are stored. */
public enum PauseMode {
  /** At the end of the step in progress. */
  STEP,
  /** At once; the step in progress runs again when the run is resumed. */
  NOW;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the mode with this word.
   *
   * @throws IllegalArgumentException for any other text
   */
  static PauseMode of(String word) {
    return switch (word) {
      case "step" -> STEP;
      case "now" -> NOW;
      default ->
          throw new IllegalArgumentException("pause '" + word + "' is unknown; allowed: step, now");
    };
  }
}
