/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.steps.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a run is parked: when everything in progress only waits, and has waited or will wait
 * for longer than {@code after}. A question may be answered at any time, so the run first waits
 * that long for it; the end of a timer is known, so a long timer parks at once. Thread-safe.
 */
final class RunParkingPolicy {
  private static final ScheduledThreadPoolExecutor TIMER =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("parking").unstarted(task));

  static {
    TIMER.setRemoveOnCancelPolicy(true);
  }

  /** Maximum number of timers in the event. */
  private static final int MAX_TIMERS = 100;

  /** A wait of one line. */
  private static final class Wait {
    /** When the question counts as open for long. */
    final Deadline longOpen;

    final Deadline over;
    final @Nullable Instant instant;
    final @Nullable String step;
    final List<String> approvals;
    @Nullable Future<?> look;

    Wait(
        Deadline longOpen,
        Deadline over,
        @Nullable Instant instant,
        @Nullable String step,
        List<String> approvals) {
      this.longOpen = longOpen;
      this.step = step;
      this.over = over;
      this.instant = instant;
      this.approvals = List.copyOf(approvals);
    }

    /** Whether the wait is too long for the runner to stay. */
    boolean isLong(Duration after) {
      Duration left = over.left();
      return (left == null || left.compareTo(after) > 0)
          && (approvals.isEmpty() || longOpen.isPast());
    }
  }

  private final Duration after;
  private final RunStopController control;
  private final List<Wait> waits = new ArrayList<>();

  /** Number of lines in progress, without those that only wait for their branches. */
  private int walking;

  private TraceEvent.@Nullable RunParked parked;

  /** A wait ended just when the run was parked. */
  private boolean overtaken;

  /**
   * @param after zero: never
   */
  RunParkingPolicy(Duration after, RunStopController control) {
    this.after = after;
    this.control = control;
  }

  /** Parks by a workflow's {@code park_after}; zero: as soon as the run only waits. */
  static RunParkingPolicy asTheWorkflowSays(Duration after, RunStopController control) {
    return new RunParkingPolicy(after.isZero() ? Duration.ofMillis(1) : after, control);
  }

  /** Registers a line before it is executed; called by the thread that starts it. */
  synchronized void enter() {
    walking++;
  }

  /** Unregisters a line that has ended, or only waits for its branches from now on. */
  synchronized void leave() {
    walking--;
    look();
  }

  /**
   * Registers a wait of a line until the returned object is closed.
   *
   * @param over when the wait ends by itself
   * @param instant the time to wait for; null for a duration
   * @param step the path of the step that waits for a duration; null for a call of an agent, and
   *     for a time of day
   * @param approvals the approvals to wait for; empty for a timer
   * @param mayPark false if no other runner could continue from here
   */
  synchronized OpenWait begin(
      Deadline over,
      @Nullable Instant instant,
      @Nullable String step,
      List<String> approvals,
      boolean mayPark) {
    Wait wait = new Wait(Deadline.after(after), over, instant, step, approvals);
    if (!after.isZero() && mayPark) {
      waits.add(wait);
      look();
      if (!approvals.isEmpty()) {
        wait.look = TIMER.schedule(this::look, after.toNanos(), TimeUnit.NANOSECONDS);
      }
    }
    return new OpenWait(wait);
  }

  /** A registered wait. */
  final class OpenWait implements AutoCloseable {
    private final Wait wait;

    private OpenWait(Wait wait) {
      this.wait = wait;
    }

    /**
     * Records that the wait has ended.
     *
     * @return false when the run was parked before: what comes next must not begin here
     */
    boolean over() {
      synchronized (RunParkingPolicy.this) {
        overtaken = overtaken || parked != null;
        return parked == null;
      }
    }

    @Override
    public void close() {
      synchronized (RunParkingPolicy.this) {
        waits.remove(wait);
        if (wait.look != null) {
          wait.look.cancel(false);
        }
      }
    }
  }

  /** Returns the event to record when the run was parked; empty if a wait ended meanwhile. */
  synchronized Optional<TraceEvent.RunParked> parked() {
    return overtaken ? Optional.empty() : Optional.ofNullable(parked);
  }

  private synchronized void look() {
    if (parked != null || waits.isEmpty() || waits.size() < walking) {
      return;
    }
    if (!waits.stream().allMatch(wait -> wait.isLong(after))) {
      return;
    }
    List<String> approvals = new ArrayList<>();
    waits.stream().flatMap(wait -> wait.approvals.stream()).sorted().forEach(approvals::add);
    parked = event(approvals);
    control.stop(StopReason.PARKED);
  }

  /**
   * Records a duration as its remaining time, since this clock may be wrong and the time of day is
   * not relied on.
   */
  private TraceEvent.RunParked event(List<String> approvals) {
    Wait first = null;
    Duration least = null;
    Map<String, Long> timers = new HashMap<>();
    for (Wait wait : waits) {
      Duration left = wait.over.left();
      if (left == null) {
        continue;
      }
      if (least == null || left.compareTo(least) < 0) {
        first = wait;
        least = left;
      }
      if (wait.step != null) {
        timers.merge(wait.step, left.toMillis(), Math::min);
      }
    }
    Map<String, Long> leftMs = firstOf(timers);
    if (first == null || least == null) {
      return new TraceEvent.RunParked(null, null, approvals, leftMs);
    }
    return first.instant == null
        ? new TraceEvent.RunParked(Instant.now().plus(least), least.toMillis(), approvals, leftMs)
        : new TraceEvent.RunParked(first.instant, null, approvals, leftMs);
  }

  /** Returns the timers that end first, as many as an event may list. */
  private static Map<String, Long> firstOf(Map<String, Long> timers) {
    if (timers.size() <= MAX_TIMERS) {
      return timers;
    }
    return timers.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .limit(MAX_TIMERS)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
