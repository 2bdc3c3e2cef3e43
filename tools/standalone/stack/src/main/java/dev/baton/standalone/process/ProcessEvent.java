/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.time.Duration;

/** What happens to a supervised process. */
public sealed interface ProcessEvent {

  /** The process's name. */
  String process();

  /** Was started, not ready yet. */
  record Started(String process, ProcessId id) implements ProcessEvent {}

  /** Can be used; {@code restarts} counts how often it has come back after dying unasked. */
  record Ready(String process, Duration took, int restarts) implements ProcessEvent {}

  /** Ended though nobody had asked it to. */
  record Died(String process, int exitCode) implements ProcessEvent {}

  /**
   * Did not come up; {@code attempt} counts from 1. Before {@link KeepsFailing} the reason quotes
   * its log.
   */
  record RestartFailed(String process, int attempt, String reason) implements ProcessEvent {}

  /**
   * Failed that often in a row, and is started again only once every {@code pause} from now on.
   * Told once.
   */
  record KeepsFailing(String process, int attempts, Duration pause) implements ProcessEvent {}

  /** Its log became too long, and its earlier part could not be kept. */
  record LogLost(String process, String reason) implements ProcessEvent {}

  /** Ended as asked. */
  record Stopped(String process) implements ProcessEvent {}
}
