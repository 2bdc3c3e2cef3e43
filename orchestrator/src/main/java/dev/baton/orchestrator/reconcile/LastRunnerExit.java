/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.signal.RunnerSignal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a run lost its last runner.
 *
 * @param reason {@code runner_exited}, {@code runner_left} or {@code heartbeats_missed}
 * @param exitCode as the launcher reported it; null when it is unknown or a signal killed the
 *     process
 * @param signal the number of the signal that killed it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LastRunnerExit(
    int epoch,
    String runner,
    String reason,
    @Nullable Integer exitCode,
    @Nullable Integer signal,
    Instant at) {
  /** Shells and launchers report a signal as this value plus its number. */
  private static final int KILLED = 128;

  static LastRunnerExit of(RunnerSignal signal, Instant at) {
    return switch (signal) {
      case RunnerSignal.HeartbeatsMissed(
              String run,
              int epoch,
              String runner,
              long silent,
              long most) ->
          new LastRunnerExit(epoch, runner, "heartbeats_missed", null, null, at);
      case RunnerSignal.RunnerLeft(String run, int epoch, String runner, String why) ->
          new LastRunnerExit(epoch, runner, "runner_left", null, null, at);
      case RunnerSignal.RunnerExited(String run, int epoch, String runner, Integer code) -> {
        boolean killed = code != null && code > KILLED;
        yield new LastRunnerExit(
            epoch,
            runner,
            "runner_exited",
            killed ? null : code,
            code != null && killed ? Integer.valueOf(code - KILLED) : null,
            at);
      }
    };
  }

  String json() {
    return new String(Json.bytes(this), StandardCharsets.UTF_8);
  }
}
