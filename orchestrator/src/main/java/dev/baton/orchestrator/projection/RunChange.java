/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a batch changes in one run's view. Not thread-safe. */
final class RunChange {
  private static final String STATUS = "status";
  private static final String CLOSED = "expired";

  private final String run;
  private RunHead head;
  private @Nullable Instant startedAt;
  private @Nullable Instant endedAt;
  private @Nullable Integer startedEpoch;
  private @Nullable Long pid;
  private @Nullable String host;
  private @Nullable Output output;
  private @Nullable String gap;
  private final List<ObjectNode> asked = new ArrayList<>();
  private final List<String> closedSteps = new ArrayList<>();

  RunChange(String run, RunHead head) {
    this.run = run;
    this.head = head;
  }

  String run() {
    return run;
  }

  RunHead head() {
    return head;
  }

  /** The run's first gap, in words, where this batch brought it; null otherwise. */
  @Nullable String newGap() {
    return gap;
  }

  List<ObjectNode> asked() {
    return asked;
  }

  /** Steps that waited for a person before this batch and do so no more. */
  List<String> closedSteps() {
    return closedSteps;
  }

  RunHead.Verdict apply(TraceRecord record) {
    RunHead before = head;
    RunHead.Step step = head.apply(record);
    head = step.head();
    if (before.gap() == null && head.gap() != null) {
      gap = head.gap();
    }
    if (step.verdict() == RunHead.Verdict.ACCEPTED) {
      note(record, before);
    }
    return step.verdict();
  }

  private void note(TraceRecord record, RunHead before) {
    if (record.event() instanceof TraceEvent.Runner event) {
      noteRunner(event, record, before);
    }
    // Also those that a fence takes back, for they were asked on files that are lost.
    before.waiting().stream().filter(step -> !head.waiting().contains(step)).forEach(this::close);
    if (head.isEnded() && !before.isEnded()) {
      endedAt = record.time();
      asked.forEach(question -> question.put(STATUS, CLOSED));
    }
  }

  /** Questions of earlier batches by their step; those of this one before they are written. */
  private void close(String step) {
    closedSteps.add(step);
    asked.stream()
        .filter(question -> question.path("step").asText().equals(step))
        .forEach(question -> question.put(STATUS, CLOSED));
  }

  private void noteRunner(TraceEvent.Runner event, TraceRecord record, RunHead before) {
    if (startedEpoch == null || startedEpoch < before.epoch()) {
      startedEpoch = before.epoch();
    }
    if (startedAt == null) {
      startedAt = record.time();
    }
    if (event instanceof TraceEvent.RunnerStarted started) {
      pid = started.pid();
      host = started.host();
    } else if (event instanceof TraceEvent.CheckpointWaiting waiting) {
      asked.add(question(waiting, record.time()));
    } else if (event instanceof TraceEvent.RunCompleted done) {
      output = done.output();
    }
  }

  private ObjectNode question(TraceEvent.CheckpointWaiting waiting, Instant at) {
    return Json.mapper()
        .createObjectNode()
        .put("id", waiting.approval())
        .put("run", run)
        .put("step", waiting.step())
        .put("prompt", waiting.prompt())
        .put("answer_schema", PgBounds.json(waiting.answerSchema()))
        .put("default_answer", PgBounds.json(waiting.defaultAnswer()))
        .put("expires_at", PgBounds.text(waiting.expiresAt()))
        .put("cut", waiting.cut())
        .put(STATUS, "waiting")
        .put("asked_at", PgBounds.text(at));
  }

  /** The row for {@code json_to_recordset}; null fields leave their columns as they are. */
  ObjectNode row() {
    ObjectNode row = Json.mapper().createObjectNode();
    row.put("id", run)
        .put("head", text(head))
        .put("status", head.status().word())
        .put("ended", head.isEnded())
        .put("epoch", head.epoch())
        .put("control_seq", head.controlSeq())
        .put("current_steps", text(head.active()))
        .put("completed", head.completed())
        .put("fenced", head.fenced())
        .put("error", head.error() == null ? null : text(head.error()))
        .put("started_epoch", startedEpoch)
        .put("started_at", PgBounds.text(startedAt))
        .put("ended_at", PgBounds.text(endedAt))
        .put("output", outputText())
        .put("runner_pid", pid)
        .put("runner_host", host);
    return row;
  }

  private @Nullable String outputText() {
    return switch (output) {
      case null -> null;
      case Output.Inline(var value) -> PgBounds.json(value);
      case Output.Ref ref -> text(ref);
    };
  }

  private static String text(Object value) {
    return PgBounds.json(Json.bytes(value));
  }
}
