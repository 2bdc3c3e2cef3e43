/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Builds the status of a RunnerPool, at most 4 KiB of JSON. Thread-safe. */
final class RunnerPoolStatusMapper {
  private static final int MAX_SELECTOR_BYTES = 256;

  private final Clock clock;

  RunnerPoolStatusMapper(Clock clock) {
    this.clock = clock;
  }

  /** Returns the status of a pool whose spec was accepted. */
  RunnerPoolResourceStatus accepted(RunnerPoolCustomResource pool, RunnerPoolReport report) {
    return status(
        pool,
        report,
        List.of(
            ResourceCondition.of(
                ResourceCondition.ACCEPTED, ResourceCondition.TRUE, "Stored", null),
            ready(pool, report)));
  }

  /**
   * Returns the status of a pool whose spec was not accepted.
   *
   * @param earlier the pool of an earlier spec, which stays in effect; null without one
   */
  RunnerPoolResourceStatus rejected(
      RunnerPoolCustomResource pool,
      String reason,
      String message,
      @Nullable RunnerPoolReport earlier) {
    List<ResourceCondition> conditions = new ArrayList<>();
    conditions.add(
        ResourceCondition.rejected(
            reason, earlier == null ? message : message + "; the earlier spec stays in effect"));
    if (earlier != null) {
      conditions.add(ready(pool, earlier));
    }
    return status(pool, earlier, conditions);
  }

  private static ResourceCondition ready(RunnerPoolCustomResource pool, RunnerPoolReport report) {
    String refusal = report.refusal();
    if (refusal != null) {
      return ResourceCondition.of(
          ResourceCondition.READY,
          ResourceCondition.FALSE,
          camelCase(refusal),
          report.detail() + "; the start is tried again");
    }
    if (report.ready() >= report.wanted()) {
      return ResourceCondition.of(
          ResourceCondition.READY, ResourceCondition.TRUE, "WarmRunnersReady", null);
    }
    return ResourceCondition.of(
        ResourceCondition.READY,
        ResourceCondition.FALSE,
        "WarmRunnersStarting",
        "%d of %d idle runners run; see: kubectl --namespace %s get pods --selector %s"
            .formatted(
                report.ready(),
                report.wanted(),
                pool.getMetadata().getNamespace(),
                StatusTextLimiter.limit(report.selector(), MAX_SELECTOR_BYTES)));
  }

  private static String camelCase(String word) {
    StringBuilder text = new StringBuilder();
    for (String part : word.split("_", -1)) {
      if (!part.isEmpty()) {
        text.append(part.substring(0, 1).toUpperCase(Locale.ROOT)).append(part.substring(1));
      }
    }
    return text.toString();
  }

  private RunnerPoolResourceStatus status(
      RunnerPoolCustomResource pool,
      @Nullable RunnerPoolReport report,
      List<ResourceCondition> conditions) {
    RunnerPoolResourceStatus before = pool.getStatus();
    return new RunnerPoolResourceStatus(
        pool.getMetadata().getGeneration(),
        report == null ? null : report.warm(),
        report == null ? null : report.ready(),
        report == null ? null : report.runners(),
        report == null ? null : StatusTextLimiter.limit(report.selector(), MAX_SELECTOR_BYTES),
        ResourceCondition.timed(
            conditions,
            before == null ? List.of() : before.conditions(),
            clock.instant().truncatedTo(ChronoUnit.SECONDS).toString()));
  }
}
