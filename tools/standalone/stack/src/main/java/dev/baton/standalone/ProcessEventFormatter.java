/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.standalone.process.ProcessEvent;
import java.time.Duration;
import java.util.Locale;

/** Formats process events as log lines. */
final class ProcessEventFormatter {

  private ProcessEventFormatter() {}

  static String line(ProcessEvent event) {
    return switch (event) {
      case ProcessEvent.Started(String name, var id) -> name + " starting (pid " + id.pid() + ")";
      case ProcessEvent.Ready(String name, Duration took, int restarts) ->
          name + " ready " + seconds(took) + (restarts == 0 ? "" : ", restart " + restarts);
      case ProcessEvent.Died(String name, int code) -> name + " died with code " + code;
      case ProcessEvent.RestartFailed(String name, int attempt, String reason) ->
          name + " failed to start, attempt " + attempt + ": " + reason;
      case ProcessEvent.KeepsFailing(String name, int attempts, Duration pause) ->
          "%s failed %d times in a row and is retried every %d s from now on"
              .formatted(name, attempts, pause.toSeconds());
      case ProcessEvent.LogLost(String name, String reason) ->
          "the earlier part of " + name + "'s log could not be kept: " + reason;
      case ProcessEvent.Stopped(String name) -> name + " stopped";
    };
  }

  static String seconds(Duration took) {
    return String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1000.0);
  }
}
