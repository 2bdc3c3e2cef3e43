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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a run is parked: when all that is in progress waits, and has waited or is going to
 * wait for longer than {@code after}. A question may be answered at any time, so it is waited for
 * that long first; of a timer it is known, so a long one parks at once. Thread-safe.
 */
final class RunParkingPolicy {
  private static final ScheduledThreadPoolExecutor TIMER =
      new ScheduledThreadPoolExecutor(
          1, task -> Thread.ofPlatform().daemon().name("parking").unstarted(task));

  static {
    TIMER.setRemoveOnCancelPolicy(true);
  }

  /** Something that is waited for. */
  private static final class Wait {
    /** From then on a question has been open for long. */
    final Deadline longOpen;

    final Deadline over;
    final @Nullable Instant instant;
    final @Nullable String approval;
    @Nullable Future<?> look;

    Wait(Deadline longOpen, Deadline over, @Nullable Instant instant, @Nullable String approval) {
      this.longOpen = longOpen;
      this.over = over;
      this.instant = instant;
      this.approval = approval;
    }

    /** Whether the runner need not stay for it. */
    boolean isLong(Duration after) {
      Duration left = over.left();
      return (left == null || left.compareTo(after) > 0) && (approval == null || longOpen.isPast());
    }
  }

  private final Duration after;
  private final RunStopController control;
  private final List<Wait> waits = new ArrayList<>();

  /** Lines that are walked, without those that only wait for their branches. */
  private int walking;

  private TraceEvent.@Nullable RunParked parked;

  /** What was waited for has come after all, just when the run was parked. */
  private boolean overtaken;

  /**
   * @param after zero: never
   */
  RunParkingPolicy(Duration after, RunStopController control) {
    this.after = after;
    this.control = control;
  }

  /** Parks by a workflow's {@code park_after}; zero: as soon as it only waits. */
  static RunParkingPolicy asTheWorkflowSays(Duration after, RunStopController control) {
    return new RunParkingPolicy(after.isZero() ? Duration.ofMillis(1) : after, control);
  }

  /** A line is going to be walked; by the thread that starts it, before. */
  synchronized void enter() {
    walking++;
  }

  /** It has come to its end, or only waits for its branches from now on. */
  synchronized void leave() {
    walking--;
    look();
  }

  /**
   * A line waits from now on, until that is closed.
   *
   * @param over when the wait is over by itself
   * @param instant that is waited for; null where it is a duration
   * @param approval that is waited for; null where it is only time
   * @param mayPark false where nobody else could go on from here
   */
  synchronized OpenWait begin(
      Deadline over, @Nullable Instant instant, @Nullable String approval, boolean mayPark) {
    Wait wait = new Wait(Deadline.after(after), over, instant, approval);
    if (!after.isZero() && mayPark) {
      waits.add(wait);
      look();
      if (approval != null) {
        wait.look = TIMER.schedule(this::look, after.toNanos(), TimeUnit.NANOSECONDS);
      }
    }
    return new OpenWait(wait);
  }

  /** One wait. */
  final class OpenWait implements AutoCloseable {
    private final Wait wait;

    private OpenWait(Wait wait) {
      this.wait = wait;
    }

    /** What was waited for has come. */
    void over() {
      synchronized (RunParkingPolicy.this) {
        overtaken = overtaken || parked != null;
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

  /** What the trace is told when the run was parked; empty where something has come meanwhile. */
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
    waits.stream()
        .map(wait -> wait.approval)
        .filter(Objects::nonNull)
        .sorted()
        .forEach(approvals::add);
    parked = event(approvals);
    control.stop(StopReason.PARKED);
  }

  /**
   * A duration is told as what is left of it, for this clock may be wrong and nobody counts by it.
   */
  private TraceEvent.RunParked event(List<String> approvals) {
    Wait first = null;
    Duration least = null;
    for (Wait wait : waits) {
      Duration left = wait.over.left();
      if (left != null && (least == null || left.compareTo(least) < 0)) {
        first = wait;
        least = left;
      }
    }
    if (first == null || least == null) {
      return new TraceEvent.RunParked(null, null, approvals);
    }
    return first.instant == null
        ? new TraceEvent.RunParked(Instant.now().plus(least), least.toMillis(), approvals)
        : new TraceEvent.RunParked(first.instant, null, approvals);
  }
}
