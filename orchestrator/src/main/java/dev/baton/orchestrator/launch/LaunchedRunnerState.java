/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The state of a launched process; its word is stored and in the API. */
@Schema(name = "RunnerProcessState")
public enum LaunchedRunnerState {
  STARTING,
  RUNNING,
  EXITED;

  /**
   * Returns the state with this word.
   *
   * @throws IllegalArgumentException for any other text
   */
  static LaunchedRunnerState of(String word) {
    return Arrays.stream(values())
        .filter(state -> state.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "state of a runner '"
                        + word
                        + "' is unknown; allowed: starting, running, exited"));
  }

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
