/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import static dev.baton.operator.ResourceCondition.ACCEPTED;
import static dev.baton.operator.ResourceCondition.FALSE;
import static dev.baton.operator.ResourceCondition.LAUNCHED;
import static dev.baton.operator.ResourceCondition.MODE_APPLIED;
import static dev.baton.operator.ResourceCondition.SUCCEEDED;
import static dev.baton.operator.ResourceCondition.TRUE;
import static dev.baton.operator.ResourceCondition.UNKNOWN;
import static dev.baton.operator.ResourceCondition.WAITING;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.protocol.digest.Digest;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Maps what the orchestrator reports to the status of a Run. The result has at most {@link
 * RunResourceStatus#MAX_BYTES} for every report. Thread-safe.
 */
final class RunStatusMapper {
  static final String REJECTED = "Rejected";
  static final String DELETED = "Deleted";
  static final String CANCELLED = "Cancelled";

  private static final String COMPLETED = "completed";
  private static final int MAX_TEXT_BYTES = 192;
  private static final int MAX_WORD_BYTES = 64;
  private static final int HASH_LENGTH = 16;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Clock clock;

  RunStatusMapper(Clock clock) {
    this.clock = clock;
  }

  /**
   * @param mode the one that was applied last, and what came of it; null when none was requested
   */
  record AppliedMode(RunOperatingMode mode, @Nullable String refusal) {}

  RunResourceStatus of(RunCustomResource resource, RunReport report, @Nullable AppliedMode mode) {
    RunResourceStatus before = resource.getStatus();
    String hash = hash(resource.specOrEmpty());
    String started = before == null || before.specHash() == null ? hash : before.specHash();
    RunReport.Approval approval = report.approval();
    List<ResourceCondition> conditions = new ArrayList<>();
    conditions.add(accepted(hash.equals(started)));
    conditions.add(launched(report));
    conditions.add(waiting(approval));
    conditions.add(succeeded(report));
    if (mode != null) {
      conditions.add(applied(mode));
    }
    return new RunResourceStatus(
        resource.getMetadata().getGeneration(),
        limit(report.run(), MAX_WORD_BYTES),
        phase(report),
        report.epoch(),
        limit(report.step(), MAX_TEXT_BYTES),
        report.completedSteps(),
        approval == null
            ? null
            : new RunResourceStatus.WaitingApproval(
                StatusTextLimiter.limit(approval.id(), MAX_WORD_BYTES),
                StatusTextLimiter.limit(approval.step(), MAX_TEXT_BYTES),
                StatusTextLimiter.limit(approval.prompt(), MAX_TEXT_BYTES)),
        report.runner() == null
            ? null
            : new RunResourceStatus.RunnerIdentity(
                StatusTextLimiter.limit(report.runner().id(), MAX_WORD_BYTES),
                limit(report.runner().host(), MAX_WORD_BYTES)),
        text(report.startedAt()),
        text(report.endedAt()),
        limit(message(report), ResourceCondition.MAX_MESSAGE_BYTES),
        mode == null ? null : mode.mode(),
        started,
        timed(conditions, before));
  }

  /** Returns the status of a Run whose run was not started. */
  RunResourceStatus rejected(RunCustomResource resource, String reason, String message) {
    return notStarted(resource, REJECTED, reason, message);
  }

  /** Returns the status of a Run that was cancelled before its run was started. */
  RunResourceStatus cancelled(RunCustomResource resource) {
    return notStarted(
        resource,
        CANCELLED,
        "CancelledBeforeStart",
        "spec.operatingMode is Cancelled; the run starts when it is Running or absent");
  }

  private RunResourceStatus notStarted(
      RunCustomResource resource, String phase, String reason, String message) {
    return new RunResourceStatus(
        resource.getMetadata().getGeneration(),
        null,
        phase,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        StatusTextLimiter.limit(message, ResourceCondition.MAX_MESSAGE_BYTES),
        null,
        null,
        timed(List.of(ResourceCondition.rejected(reason, message)), resource.getStatus()));
  }

  /** Returns the status of a Run whose run was deleted from Baton. */
  RunResourceStatus deleted(RunCustomResource resource, RunResourceStatus before) {
    List<ResourceCondition> conditions = new ArrayList<>(before.conditions());
    conditions.removeIf(condition -> condition.type().equals(ACCEPTED));
    conditions.addFirst(ResourceCondition.of(ACCEPTED, TRUE, "Started", null));
    String message =
        "run "
            + before.runId()
            + " was deleted from Baton; it is not started again: delete this resource";
    return new RunResourceStatus(
        resource.getMetadata().getGeneration(),
        before.runId(),
        DELETED,
        before.epoch(),
        null,
        before.completedSteps(),
        null,
        null,
        before.startedAt(),
        before.finishedAt(),
        message,
        before.operatingMode(),
        before.specHash(),
        timed(conditions, before));
  }

  /** Returns a hash of what may not change after the start, in hex. */
  static String hash(RunSpec spec) {
    try {
      byte[] json =
          JSON.writer()
              .with(com.fasterxml.jackson.databind.SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
              .writeValueAsBytes(spec.fixed());
      String digest = Digest.of(json);
      int hex = digest.indexOf(':') + 1;
      return digest.substring(hex, hex + HASH_LENGTH);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalStateException("a spec can be written as JSON", e);
    }
  }

  private static ResourceCondition accepted(boolean isUnchanged) {
    return isUnchanged
        ? ResourceCondition.of(ACCEPTED, TRUE, "Started", null)
        : ResourceCondition.of(
            ACCEPTED,
            TRUE,
            "ChangeIgnored",
            "the run has started with the earlier spec; only operatingMode, deletionPolicy and"
                + " ttlSecondsAfterFinished may change: create another Run for other values");
  }

  private static ResourceCondition launched(RunReport report) {
    RunReport.Queued queued = report.queued();
    if (queued != null) {
      return ResourceCondition.of(LAUNCHED, FALSE, camelCase(queued.reason()), queued.detail());
    }
    if (report.ended()) {
      return report.startedAt() == null
          ? ResourceCondition.of(LAUNCHED, FALSE, "Ended", "the run ended before a runner started")
          : ResourceCondition.of(LAUNCHED, TRUE, "Ended", null);
    }
    RunReport.Runner runner = report.runner();
    if (runner == null) {
      return ResourceCondition.of(LAUNCHED, FALSE, "NoRunner", null);
    }
    return runner.isStarting()
        ? ResourceCondition.of(
            LAUNCHED, FALSE, camelCase("runner_" + runner.phase()), runner.reason())
        : ResourceCondition.of(LAUNCHED, TRUE, "RunnerAssigned", null);
  }

  private static ResourceCondition waiting(RunReport.@Nullable Approval approval) {
    return approval == null
        ? ResourceCondition.of(WAITING, FALSE, "NoApproval", null)
        : ResourceCondition.of(
            WAITING,
            TRUE,
            "ApprovalRequested",
            "answer with: baton approve " + StatusTextLimiter.limit(approval.id(), MAX_WORD_BYTES));
  }

  private static ResourceCondition succeeded(RunReport report) {
    if (!report.ended()) {
      return ResourceCondition.of(SUCCEEDED, UNKNOWN, camelCase(report.status()), null);
    }
    return ResourceCondition.of(
        SUCCEEDED,
        report.status().equals(COMPLETED) ? TRUE : FALSE,
        camelCase(report.status()),
        // The message of the status has the error.
        null);
  }

  private static ResourceCondition applied(AppliedMode mode) {
    return mode.refusal() == null
        ? ResourceCondition.of(MODE_APPLIED, TRUE, camelCase(mode.mode().name()), null)
        : ResourceCondition.of(MODE_APPLIED, FALSE, "NotPossible", mode.refusal());
  }

  private static String phase(RunReport report) {
    return report.queued() != null && !report.ended()
        ? "Queued"
        : StatusTextLimiter.limit(camelCase(report.status()), MAX_WORD_BYTES);
  }

  private static @Nullable String message(RunReport report) {
    if (report.ended()) {
      return report.error();
    }
    RunReport.Queued queued = report.queued();
    if (queued != null) {
      return queued.detail() == null ? "waits: " + queued.reason() : queued.detail();
    }
    RunReport.Runner runner = report.runner();
    return runner != null && runner.isStarting() ? runner.reason() : null;
  }

  /** Turns words with underscores into CamelCase. */
  static String camelCase(String words) {
    StringBuilder name = new StringBuilder();
    for (String word : words.split("_", -1)) {
      if (!word.isEmpty()) {
        name.append(word.substring(0, 1).toUpperCase(Locale.ROOT))
            .append(word.substring(1).toLowerCase(Locale.ROOT));
      }
    }
    return name.toString();
  }

  private List<ResourceCondition> timed(
      List<ResourceCondition> conditions, @Nullable RunResourceStatus before) {
    return ResourceCondition.timed(
        conditions, before == null ? List.of() : before.conditions(), now());
  }

  private String now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static @Nullable String limit(@Nullable String text, int maxBytes) {
    return text == null ? null : StatusTextLimiter.limit(text, maxBytes);
  }

  /** Returns the number of bytes of a value's JSON. */
  static int jsonBytes(Object value) {
    try {
      return JSON.writeValueAsString(value).getBytes(StandardCharsets.UTF_8).length;
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalStateException("a resource can be written as JSON", e);
    }
  }
}
