/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import io.vertx.mutiny.sqlclient.Row;
import java.util.Arrays;
import java.util.Locale;

/** What the orchestrator wants of a run: the column {@code desired}, whose words are stored. */
public enum DesiredState {
  RUNNING,
  PAUSED,
  CANCELLED,
  LOST;

  /**
   * Returns the state with this word.
   *
   * @throws IllegalArgumentException for any other text
   */
  public static DesiredState of(String word) {
    return Arrays.stream(values())
        .filter(state -> state.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "desired state '"
                        + word
                        + "' is unknown; allowed: running, paused, cancelled, lost"));
  }

  /** Reads the column {@code desired} of a row. */
  public static DesiredState of(Row row) {
    return of(row.getString("desired"));
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether no runner will carry the run again. */
  public boolean isFinal() {
    return this == CANCELLED || this == LOST;
  }
}
