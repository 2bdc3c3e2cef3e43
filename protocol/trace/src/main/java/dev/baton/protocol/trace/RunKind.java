/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import java.util.Locale;

/** Which program starts a run's runners; the word is that of {@code run_created} and of the API. */
public enum RunKind {
  /** The orchestrator starts its runners. */
  MANAGED,
  /** A foreign program is its runner. */
  EXTERNAL;

  /**
   * Returns the kind with this word.
   *
   * @throws IllegalArgumentException for any other text
   */
  public static RunKind of(String word) {
    return switch (word) {
      case "managed" -> MANAGED;
      case "external" -> EXTERNAL;
      default ->
          throw new IllegalArgumentException(
              "kind '" + word + "' is unknown; allowed: managed, external");
    };
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
