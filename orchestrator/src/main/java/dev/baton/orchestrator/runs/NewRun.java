/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonLengthCalculator;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.RunKind;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.workflow.IsolationMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A validated run that is about to be written.
 *
 * @param homePartition of the trace topic, for all its events
 * @param definition the workflow definition for its trace; null for none
 */
public record NewRun(
    String id,
    boolean external,
    String project,
    @Nullable String workflow,
    @Nullable String definitionHash,
    IsolationMode isolation,
    Map<String, String> labels,
    @Nullable JsonNode input,
    String restart,
    @Nullable Instant deadline,
    @Nullable Duration heartbeatInterval,
    @Nullable Duration heartbeatTimeout,
    Instant createdAt,
    @Nullable ForkedFrom forkedFrom,
    int priority,
    int homePartition,
    @Nullable String definition) {

  private static final int EPOCH = 1;
  private static final int FIXED_WEIGHT = 4_096;

  /** The same run, beginning with a cut of another run. */
  public NewRun forkedFrom(ForkedFrom cut) {
    return new NewRun(
        id,
        external,
        project,
        workflow,
        definitionHash,
        isolation,
        labels,
        input,
        restart,
        deadline,
        heartbeatInterval,
        heartbeatTimeout,
        createdAt,
        cut,
        priority,
        homePartition,
        definition);
  }

  String kind() {
    return (external ? RunKind.EXTERNAL : RunKind.MANAGED).word();
  }

  /** Number of control events published at its creation. */
  private long controlSeq() {
    return external ? 1 : 2;
  }

  /** Returns about how many bytes its statements have. */
  long weight() {
    return FIXED_WEIGHT
        + (input == null ? 0 : 2L * JsonLengthCalculator.of(input))
        + (definition == null ? 0 : definition.length());
  }

  /** The row for {@code json_to_recordset}. */
  ObjectNode row() {
    ObjectNode row = Json.mapper().createObjectNode();
    row.put("id", id)
        .put("project", project)
        .put("kind", kind())
        .put("workflow", workflow)
        .put("definition_hash", definitionHash)
        .put("isolation", isolation.name().toLowerCase(Locale.ROOT))
        .put("input", input == null ? null : input.toString())
        .put("restart", restart)
        .put("deadline", deadline == null ? null : deadline.toString())
        .put(
            "heartbeat_interval_ms",
            heartbeatInterval == null ? null : heartbeatInterval.toMillis())
        .put("heartbeat_timeout_ms", heartbeatTimeout == null ? null : heartbeatTimeout.toMillis())
        .put("created_at", createdAt.toString())
        .put("priority", priority)
        .put("home_partition", homePartition)
        .put("epoch", EPOCH)
        .put("control_seq", controlSeq())
        .put("status", RunStatus.PENDING.word());
    if (forkedFrom != null) {
      row.put("forked_from", forkedFrom.run())
          .put("forked_position", forkedFrom.position())
          .put("forked_step", forkedFrom.step())
          .put("forked_checkpoint", forkedFrom.checkpoint());
    }
    ObjectNode labelled = row.putObject("labels");
    labels.forEach(labelled::put);
    return row;
  }

  /**
   * The effects of its creation: the run_created event, the first fence, a runner. An external run
   * only has the event; a queued run gets the others when it is admitted.
   */
  OutboxWriter.Row effects(boolean queued) {
    TraceEvent.RunCreated born =
        new TraceEvent.RunCreated(
            kind(),
            project,
            workflow,
            definitionHash,
            input == null ? null : new Output.Inline(input),
            labels,
            deadline,
            restart,
            heartbeatInterval == null ? null : heartbeatInterval.toMillis(),
            heartbeatTimeout == null ? null : heartbeatTimeout.toMillis(),
            createdAt,
            forkedFrom,
            priority,
            definition);
    List<OutboxEffect> effects = new ArrayList<>(3);
    effects.add(OutboxEffect.publish(born, 1, createdAt));
    if (!external && !queued) {
      effects.addAll(OutboxEffect.firstEpoch(2, Instant.now()));
    }
    return new OutboxWriter.Row(id, effects);
  }

  RunView view() {
    return new RunView(
        id,
        RunId.display(id),
        project,
        workflow,
        definitionHash,
        kind(),
        RunStatus.PENDING.word(),
        EPOCH,
        List.of(),
        labels,
        createdAt,
        forkedFrom == null ? null : forkedFrom.withoutAgent(),
        priority,
        null,
        null,
        null,
        deadline,
        0,
        0,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        null,
        null,
        List.of(),
        null,
        homePartition,
        null,
        null,
        null,
        null,
        null);
  }
}
