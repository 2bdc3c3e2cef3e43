/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.attach;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.grpc.Answer;
import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.grpc.Held;
import dev.baton.protocol.json.Json;
import dev.baton.runner.engine.RunAssignment;
import dev.baton.runner.engine.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/** Maps the gateway's messages to the engine's types. */
public final class GatewayMessageMapper {
  private GatewayMessageMapper() {}

  /**
   * @throws java.io.UncheckedIOException when a message contains invalid JSON
   */
  public static RunAssignment assignment(Assign assign) {
    Map<String, JsonNode> answers = new HashMap<>();
    for (Answer answer : assign.getAnswersList()) {
      answers.putIfAbsent(answer.getApproval(), answer(answer));
    }
    return new RunAssignment(
        assign.getRun(),
        assign.getEpoch(),
        assign.hasHomePartition() ? OptionalInt.of(assign.getHomePartition()) : OptionalInt.empty(),
        assign.getLease(),
        assign.getStepToken(),
        assign.getProject(),
        assign.getWorkflow(),
        assign.getDefinitionHash(),
        assign.getDefinition().toByteArray(),
        assign.getInput().isEmpty()
            ? Optional.empty()
            : Optional.of(Json.tree(assign.getInput().toByteArray())),
        assign.getLabelsMap(),
        micros(assign.getCreatedAtMicros()),
        assign.getDeadlineMicros() == 0
            ? Optional.empty()
            : Optional.of(micros(assign.getDeadlineMicros())),
        Duration.ofMillis(assign.getHeartbeatIntervalMillis()),
        Duration.ofMillis(assign.getHeartbeatTimeoutMillis()),
        assign.getFresh(),
        Duration.ofMillis(assign.getParkAfterMillis()),
        answers);
  }

  /** Describes a run that this runner has started. */
  public static Held held(RunAssignment assignment) {
    return Held.newBuilder()
        .setRun(assignment.run())
        .setEpoch(assignment.epoch())
        .setLease(assignment.lease())
        .setStarted(true)
        .build();
  }

  /** Returns why an assigned run must end before its first step; empty to execute it. */
  public static Optional<StopReason> stop(Assign assign) {
    if (assign.getCancelled()) {
      return Optional.of(StopReason.CANCELLED);
    }
    return assign.getPauseRequested() ? Optional.of(StopReason.PAUSED) : Optional.empty();
  }

  public static JsonNode answer(Answer answer) {
    return Json.tree(answer.getAnswer().toByteArray());
  }

  private static Instant micros(long sinceEpoch) {
    return Instant.EPOCH.plusNanos(TimeUnit.MICROSECONDS.toNanos(sinceEpoch));
  }
}
