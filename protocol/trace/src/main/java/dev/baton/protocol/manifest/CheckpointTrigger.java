/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.manifest;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;

/** The reason for a checkpoint. In JSON its name in lower case. */
public enum CheckpointTrigger {
  /** The end of a step. */
  STEP,
  PERIODIC,
  DETACH,
  ERROR,
  /** The end of the run. */
  COMPLETE,
  SHUTDOWN,
  /** A user requested it. */
  MANUAL,
  /** A step reported a milestone. */
  MILESTONE,
  /** A boundary between two turns of an agent. */
  TURN,
  /** Read from a portable checkpoint. */
  IMPORT;

  /**
   * Whether it is requested at any time: its agent state is for people, and no agent resumes with
   * it.
   */
  public boolean isRequested() {
    return this == MANUAL || this == DETACH;
  }

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * @throws IllegalArgumentException that names the word and what is allowed
   */
  @JsonCreator
  public static CheckpointTrigger of(String word) {
    return Arrays.stream(values())
        .filter(trigger -> trigger.word().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "trigger '%s' is not one of %s"
                        .formatted(
                            word, Arrays.stream(values()).map(CheckpointTrigger::word).toList())));
  }
}
