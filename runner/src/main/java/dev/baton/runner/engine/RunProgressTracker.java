/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.runner.heartbeat.HeartbeatSource;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Tracks the activity of a run for its heartbeats. Thread-safe. */
final class RunProgressTracker implements HeartbeatSource {
  private final RunStopController control;
  private final AtomicInteger working = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile @Nullable String step;
  private volatile @Nullable Instant lastActivity;
  private volatile @Nullable AgentLedgerRegistry ledgers;

  RunProgressTracker(RunStopController control) {
    this.control = control;
  }

  /**
   * @param itself false for a step that only waits for its branches
   */
  void begin(String path, boolean itself) {
    step = path;
    if (itself) {
      working.incrementAndGet();
    }
    lastActivity = Instant.now();
  }

  void end(boolean itself) {
    if (itself) {
      working.decrementAndGet();
    }
    lastActivity = Instant.now();
  }

  /** Marks the step that started last on this thread as waiting for a person. */
  void beginWaiting() {
    working.decrementAndGet();
    waiting.incrementAndGet();
  }

  void endWaiting() {
    waiting.decrementAndGet();
    working.incrementAndGet();
  }

  @Override
  public Activity activity() {
    if (control.stopped() != null) {
      return Activity.STOPPING;
    }
    if (control.hold().isSuspended()) {
      return Activity.SUSPENDED;
    }
    return waiting.get() > 0 && working.get() == 0 ? Activity.WAITING : Activity.RUNNING;
  }

  @Override
  public @Nullable String step() {
    return step;
  }

  @Override
  public @Nullable Instant lastActivity() {
    return lastActivity;
  }

  /** Reports the spending of the run's agents from now on. */
  void spending(AgentLedgerRegistry spent) {
    ledgers = spent;
  }

  @Override
  public long tokens() {
    AgentLedgerRegistry spent = ledgers;
    return spent == null ? 0 : spent.tokens();
  }

  @Override
  public double cost() {
    AgentLedgerRegistry spent = ledgers;
    return spent == null ? 0 : spent.cost();
  }
}
