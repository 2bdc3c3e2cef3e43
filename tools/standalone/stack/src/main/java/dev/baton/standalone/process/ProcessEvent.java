/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import dev.baton.process.ProcessIdentity;
import java.time.Duration;

/** An event of a supervised process. */
public sealed interface ProcessEvent {

  /** The process's name. */
  String process();

  /** The process was started and is not ready yet. */
  record Started(String process, ProcessIdentity id) implements ProcessEvent {}

  /** The process is ready; {@code restarts} counts its restarts after unexpected exits. */
  record Ready(String process, Duration took, int restarts) implements ProcessEvent {}

  /** The process exited unexpectedly. */
  record Died(String process, int exitCode) implements ProcessEvent {}

  /**
   * A restart failed; {@code attempt} counts from 1. Before {@link KeepsFailing} the reason quotes
   * its log.
   */
  record RestartFailed(String process, int attempt, String reason) implements ProcessEvent {}

  /**
   * The process failed that often in a row, and is restarted only once every {@code pause} from now
   * on. Published once.
   */
  record KeepsFailing(String process, int attempts, Duration pause) implements ProcessEvent {}

  /** Its log became too long, and the earlier part could not be kept. */
  record LogLost(String process, String reason) implements ProcessEvent {}

  /** The process stopped as requested. */
  record Stopped(String process) implements ProcessEvent {}
}
