/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The status of a run. */
public enum RunStatus {
  PENDING,
  STARTING,
  RUNNING,
  WAITING,
  PAUSING,
  PAUSED,
  INTERRUPTED,
  RESUMING,
  COMPLETED,
  FAILED,
  CANCELLED,
  LOST;

  private static final Map<String, RunStatus> BY_WORD =
      Stream.of(values())
          .collect(Collectors.toUnmodifiableMap(RunStatus::word, Function.identity()));

  /** Returns the status with this {@link #word}; empty when there is none. */
  public static Optional<RunStatus> of(String word) {
    return Optional.ofNullable(BY_WORD.get(word));
  }

  @JsonValue
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether the run has ended: no runner continues it without a resume request. */
  public boolean isTerminal() {
    return switch (this) {
      case COMPLETED, FAILED, CANCELLED, LOST -> true;
      case PENDING, STARTING, RUNNING, WAITING, PAUSING, PAUSED, INTERRUPTED, RESUMING -> false;
    };
  }
}
