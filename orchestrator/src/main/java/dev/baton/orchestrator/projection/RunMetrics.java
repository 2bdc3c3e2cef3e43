/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.server.PeriodicTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts runs and steps as the projection commits their events: each event once, by the replica
 * that has folded it, so that sums over replicas and restarts are correct. The numbers of waiting
 * runs and approvals are read from Postgres every five seconds and are the same on every replica.
 * Thread-safe.
 */
@ApplicationScoped
class RunMetrics {
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration ASK = Duration.ofSeconds(5);
  private static final String OTHER = "other";
  private static final Set<String> KINDS =
      Set.of("shell", "agent", "http", "transform", "approval", "parallel", "wait", "fn");

  /** Limits the time series: a foreign program can send any reason. */
  private static final int MOST_REASONS = 64;

  private static final Duration LONGEST = Duration.ofDays(3_650);
  private static final String LOOK =
      """
      SELECT 'open' AS what, status, count(*) AS n FROM orchestrator.run WHERE NOT ended GROUP BY status
      UNION ALL SELECT 'queued', NULL, count(*) FROM orchestrator.run WHERE NOT ended AND queued_at IS NOT NULL
      UNION ALL SELECT 'approvals', NULL, count(*) FROM orchestrator.approval WHERE status = 'waiting'
      UNION ALL SELECT 'parked', NULL, count(*) FROM orchestrator.parked p JOIN orchestrator.run r ON r.id = p.run
        AND r.epoch = p.epoch AND NOT r.ended\
      """;

  private final MeterRegistry metrics;
  private final Pool pool;
  private final Set<String> reasons = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Map<String, Long> waiting;
  private final PeriodicTask looking =
      new PeriodicTask(
          "run-metrics", EVERY, "waiting runs: cannot be counted, retrying", this::look);

  /**
   * An accepted event.
   *
   * @param at by its writer's clock
   * @param wasActive whether its step was already in progress
   */
  record Counted(TraceEvent event, Instant at, boolean wasActive) {}

  RunMetrics(MeterRegistry metrics, Pool pool) {
    this.metrics = metrics;
    this.pool = pool;
    for (RunStatus status : RunStatus.values()) {
      if (!status.isTerminal()) {
        Gauge.builder("baton.runs.open", () -> waiting("open " + status.word()))
            .description("runs that have not ended, by status; the same on every replica")
            .tag("status", status.word())
            .register(metrics);
      }
    }
    gauge("baton.runs.queued", "queued", "runs that wait for a place under their workflow's limit");
    gauge("baton.runs.parked", "parked", "runs that wait without a runner");
    gauge("baton.approvals.waiting", "approvals", "questions that wait for a person");
  }

  private void gauge(String name, String what, String description) {
    Gauge.builder(name, () -> waiting(what))
        .description(description + "; the same on every replica")
        .register(metrics);
  }

  void onStart(@Observes @Priority(4000) StartupEvent event) {
    looking.start();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    looking.stop();
  }

  /** Returns NaN while Postgres is unavailable. */
  private double waiting(String what) {
    Map<String, Long> known = waiting;
    return known == null ? Double.NaN : known.getOrDefault(what, 0L);
  }

  private void look() {
    try {
      Map<String, Long> found = new HashMap<>();
      for (Row row : pool.query(LOOK).execute().await().atMost(ASK)) {
        String status = row.getString("status");
        found.put(row.getString("what") + (status == null ? "" : " " + status), row.getLong("n"));
      }
      waiting = Map.copyOf(found);
    } catch (RuntimeException e) {
      waiting = null;
      throw e;
    }
  }

  /** Counts the events of one run after their batch was committed. */
  void count(RunChange change) {
    change.counted().forEach(one -> count(change.run(), one));
  }

  private void count(String run, Counted one) {
    switch (one.event()) {
      case TraceEvent.RunCreated created ->
          metrics
              .counter(
                  "baton.runs.begun",
                  "kind",
                  created.kind().equals("external") ? "external" : "managed")
              .increment();
      case TraceEvent.RunCompleted done -> ended(run, one, RunStatus.COMPLETED, "");
      case TraceEvent.RunFailed failed ->
          ended(run, one, RunStatus.FAILED, reason(failed.error().code()));
      case TraceEvent.RunCancelled cancelled -> ended(run, one, RunStatus.CANCELLED, "");
      case TraceEvent.RunLost lost -> ended(run, one, RunStatus.LOST, reason(lost.reason()));
      case TraceEvent.StepStarted started -> begun(started.kind());
      case TraceEvent.StepCompleted done -> {
        if (!one.wasActive()) {
          begun(done.kind());
        }
        stepEnded(done.kind(), "completed", "");
        Timer.builder("baton.steps.duration")
            .description("how long completed steps took")
            .tag("kind", kind(done.kind()))
            .register(metrics)
            .record(bounded(Duration.ofNanos(Math.max(0, done.durationUs()) * 1_000)));
      }
      case TraceEvent.StepFailed failed -> {
        if (!one.wasActive()) {
          begun(failed.kind());
        }
        stepEnded(failed.kind(), "failed", reason(failed.error().code()));
      }
      case TraceEvent.StepRetried retried ->
          metrics
              .counter(
                  "baton.steps.retried",
                  "kind",
                  kind(retried.kind()),
                  "reason",
                  reason(retried.error().code()))
              .increment();
      case TraceEvent.StepSkipped skipped -> {
        if (!skipped.reason().equals(TraceEvent.StepSkipped.REPLAYED)) {
          stepEnded(OTHER, "skipped", "");
        }
      }
      default -> {
        // Does not begin or end a run or step.
      }
    }
  }

  private void begun(String kind) {
    metrics.counter("baton.steps.begun", "kind", kind(kind)).increment();
  }

  private void stepEnded(String kind, String outcome, String reason) {
    metrics
        .counter("baton.steps.ended", "kind", kind(kind), "outcome", outcome, "reason", reason)
        .increment();
  }

  private void ended(String run, Counted one, RunStatus status, String reason) {
    metrics.counter("baton.runs.ended", "status", status.word(), "reason", reason).increment();
    Timer.builder("baton.runs.duration")
        .description("from a run's creation to its end, waits included")
        .tag("status", status.word())
        .register(metrics)
        .record(bounded(Duration.between(RunId.time(run), one.at())));
  }

  private static Duration bounded(Duration duration) {
    return duration.isNegative() || duration.compareTo(LONGEST) > 0 ? Duration.ZERO : duration;
  }

  private static String kind(String kind) {
    return KINDS.contains(kind) ? kind : OTHER;
  }

  private String reason(String code) {
    if (reasons.contains(code)) {
      return code;
    }
    if (reasons.size() >= MOST_REASONS || !code.matches("[a-z][a-z0-9_]{0,39}")) {
      return OTHER;
    }
    reasons.add(code);
    return code;
  }
}
