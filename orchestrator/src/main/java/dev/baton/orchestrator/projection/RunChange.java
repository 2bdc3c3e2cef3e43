/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.ApprovalState;
import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Accumulates the changes of one batch to one run's view. Not thread-safe. */
final class RunChange {
  private static final String STATUS = "status";
  private static final String CLOSED = "expired";
  private static final String WAITING = "waiting";

  private final String run;
  private final int partition;
  private final RunHead first;
  private RunHead head;
  private @Nullable Instant startedAt;
  private @Nullable Instant endedAt;
  private @Nullable Integer startedEpoch;
  private @Nullable Long pid;
  private @Nullable String host;
  private @Nullable Output output;
  private @Nullable String gap;
  private @Nullable ObjectNode parked;
  private final Map<String, ObjectNode> asked = new LinkedHashMap<>();
  private final List<RunMetrics.Counted> counted = new ArrayList<>();
  private final Map<String, Closed> closed = new LinkedHashMap<>();
  private final Set<String> closedCalls = new LinkedHashSet<>();

  /**
   * The end of an approval that waited.
   *
   * @param byDefault whether it timed out, with its default answer if it has one
   */
  record Closed(Instant at, boolean byDefault) {}

  /**
   * @param partition of the events
   */
  RunChange(String run, int partition, RunHead head) {
    this.run = run;
    this.partition = partition;
    this.head = head;
    this.first = head;
  }

  String run() {
    return run;
  }

  RunHead head() {
    return head;
  }

  /** Describes the run's first gap if it is in this batch; null otherwise. */
  @Nullable String newGap() {
    return gap;
  }

  /** Whether the run is active and this batch has found that its control lane lacks events. */
  boolean hasNewControlGap() {
    return head.controlGap() != null
        && !head.controlGap().equals(first.controlGap())
        && !head.isEnded();
  }

  /** Returns the number of fenced events in this batch. */
  long newlyFenced() {
    return head.fenced() - first.fenced();
  }

  /** Returns the row for {@code json_to_recordset} if the batch leaves the run parked, or null. */
  @Nullable ObjectNode parked() {
    return head.phase() == RunHead.Phase.PARKED ? parked : null;
  }

  /** Returns the accepted events for the metrics, in order. */
  List<RunMetrics.Counted> counted() {
    return counted;
  }

  Collection<ObjectNode> asked() {
    return asked.values();
  }

  /** Returns the approvals of tool calls whose wait ended in this batch. */
  Set<String> closedCalls() {
    return closedCalls;
  }

  /** Returns the steps whose wait for a person ended in this batch. */
  Map<String, Closed> closed() {
    return closed;
  }

  /** Whether the batch changed the status or the epoch. */
  private boolean hasMoved() {
    return head.status() != first.status() || head.epoch() != first.epoch();
  }

  /** Whether the batch freed the run's place under its workflow's limit. */
  boolean freedItsPlace() {
    return hasMoved() && (head.isEnded() || head.status() == RunStatus.PAUSED);
  }

  /**
   * Folds an event of the run.
   *
   * @param appended the broker's timestamp; null for a run restored from an archive, whose timers
   *     do not continue
   */
  RunHead.Verdict apply(TraceRecord record, @Nullable Instant appended) {
    RunHead before = head;
    RunHead.Step step = head.apply(record);
    head = step.head();
    if (before.gap() == null && head.gap() != null) {
      gap = head.gap();
    }
    if (step.verdict() == RunHead.Verdict.ACCEPTED) {
      note(record, appended, before);
      if (appended != null) {
        counted.add(
            new RunMetrics.Counted(
                record.event(),
                record.time(),
                record.event() instanceof TraceEvent.OfStep of
                    && before.active().contains(of.step())));
      }
    }
    return step.verdict();
  }

  private void note(TraceRecord record, @Nullable Instant appended, RunHead before) {
    if (record.event() instanceof TraceEvent.Runner event) {
      noteRunner(event, record, appended, before);
    }
    // Includes those that a fence undoes: their approvals were requested for files that are lost.
    Closed how = new Closed(record.time(), isAnswer(record.event()));
    before.waiting().stream()
        .filter(step -> !head.waiting().contains(step))
        .forEach(step -> close(step, how));
    before.toolCalls().keySet().stream()
        .filter(approval -> !head.toolCalls().containsKey(approval))
        .forEach(this::closeCall);
    if (head.isEnded() && !before.isEnded()) {
      endedAt = record.time();
      asked.values().stream()
          .filter(question -> question.path(STATUS).asText().equals(WAITING))
          .forEach(question -> question.put(STATUS, CLOSED));
    }
  }

  /** Closes the approval of a tool call, unless it has an answer. */
  private void closeCall(String approval) {
    closedCalls.add(approval);
    ObjectNode question = asked.get(approval);
    if (question != null && question.path(STATUS).asText().equals(WAITING)) {
      question.put(STATUS, CLOSED);
    }
  }

  /** Closes approvals of earlier batches by step, and those of this batch in place. */
  private void close(String step, Closed how) {
    closed.put(step, how);
    asked.values().stream()
        .filter(question -> question.path("step").asText().equals(step))
        .filter(question -> question.path(STATUS).asText().equals(WAITING))
        .forEach(question -> close(question, how));
  }

  /** Closes an approval of this batch in the same way as the statement does for older ones. */
  private static void close(ObjectNode question, Closed how) {
    if (how.byDefault() && question.hasNonNull("default_answer")) {
      question
          .put(STATUS, "answered")
          .put("answer", question.get("default_answer").asText())
          .put("answered_by", ApprovalState.TIMEOUT)
          .put("answered_at", PostgresValueSanitizer.text(how.at()));
    } else {
      question.put(STATUS, CLOSED);
    }
  }

  /** Whether a step that still waits for an answer ended with its default answer. */
  private static boolean isAnswer(TraceEvent event) {
    return event instanceof TraceEvent.StepCompleted
        || event instanceof TraceEvent.StepFailed failed && ApprovalState.isAnswer(failed);
  }

  /** Counts a duration from the broker's timestamp, since the runner's clock may be wrong. */
  private static @Nullable Instant end(TraceEvent.RunParked waits, @Nullable Instant appended) {
    if (appended == null) {
      return null;
    }
    Long left = waits.waitMs();
    return left == null ? waits.resumeAt() : appended.plusMillis(Math.max(0, left));
  }

  private void noteRunner(
      TraceEvent.Runner event, TraceRecord record, @Nullable Instant appended, RunHead before) {
    if (startedEpoch == null || startedEpoch < before.epoch()) {
      startedEpoch = before.epoch();
    }
    if (startedAt == null) {
      startedAt = record.time();
    }
    if (event instanceof TraceEvent.RunnerStarted started) {
      pid = started.pid();
      host = started.host();
    } else if (event instanceof TraceEvent.RunParked waits) {
      parked =
          Json.mapper()
              .createObjectNode()
              .put("run", run)
              .put("epoch", head.epoch())
              .put(
                  "parked_at",
                  PostgresValueSanitizer.text(appended == null ? record.time() : appended))
              .put("resume_at", PostgresValueSanitizer.text(end(waits, appended)))
              .put("approvals", text(waits.approvals()));
    } else if (event instanceof TraceEvent.ApprovalRequested waiting) {
      if (waiting.tool() == null && before.waiting().contains(waiting.step())) {
        // Requested again, for other files.
        close(waiting.step(), new Closed(record.time(), false));
      }
      asked.put(waiting.approval(), question(waiting, record.time()));
    } else if (event instanceof TraceEvent.RunCompleted done) {
      output = done.output();
    }
  }

  private ObjectNode question(TraceEvent.ApprovalRequested waiting, Instant at) {
    return Json.mapper()
        .createObjectNode()
        .put("id", waiting.approval())
        .put("run", run)
        .put("step", waiting.step())
        .put("prompt", waiting.prompt())
        .put("answer_schema", PostgresValueSanitizer.json(waiting.answerSchema()))
        .put("default_answer", PostgresValueSanitizer.json(waiting.defaultAnswer()))
        .put("expires_at", PostgresValueSanitizer.text(waiting.expiresAt()))
        .put("cut", waiting.cut())
        .put(
            "tool",
            waiting.tool() == null ? null : PostgresValueSanitizer.json(Json.bytes(waiting.tool())))
        .put(STATUS, WAITING)
        .put("asked_at", PostgresValueSanitizer.text(at));
  }

  /** Returns the row for {@code json_to_recordset}; null fields do not change their columns. */
  ObjectNode row() {
    ObjectNode row = Json.mapper().createObjectNode();
    row.put("id", run)
        .put("home_partition", partition)
        .put("moved", hasMoved())
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
        .put("started_at", PostgresValueSanitizer.text(startedAt))
        .put("ended_at", PostgresValueSanitizer.text(endedAt))
        .put("output", outputText())
        .put("runner_pid", pid)
        .put("runner_host", host);
    return row;
  }

  private @Nullable String outputText() {
    return switch (output) {
      case null -> null;
      case Output.Inline(var value) -> PostgresValueSanitizer.json(value);
      case Output.Ref ref -> text(ref);
    };
  }

  private static String text(Object value) {
    return PostgresValueSanitizer.json(Json.bytes(value));
  }
}
