/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerPhase;
import dev.baton.launcher.WatchedRunners;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A runner from before its container is created until its exit was accepted. Thread-safe. */
final class WatchedContainer implements WatchedRunners.WatchedRunner {
  private final String runner;
  private final AtomicBoolean isSettling = new AtomicBoolean();
  private volatile @Nullable String id;
  private volatile @Nullable String run;
  private volatile RunnerPhase phase = RunnerPhase.STARTING;

  /**
   * @param run null for a runner of a pool, and for one that is being adopted
   */
  WatchedContainer(String runner, @Nullable String run) {
    this.runner = runner;
    this.run = run;
  }

  @Override
  public String runner() {
    return runner;
  }

  @Override
  public @Nullable String run() {
    return run;
  }

  /** Null before it was created or found. */
  @Nullable String id() {
    return id;
  }

  @Override
  public boolean isFound() {
    return id != null;
  }

  RunnerPhase phase() {
    return phase;
  }

  /** The runner has this container; it never returns to an earlier phase. */
  synchronized LaunchedRunner sees(DockerContainer container) {
    id = container.id();
    run = container.run();
    if (container.phase().compareTo(phase) > 0) {
      phase = container.phase();
    }
    return view();
  }

  synchronized void ends() {
    phase = RunnerPhase.ENDED;
  }

  @Override
  public LaunchedRunner view() {
    return new LaunchedRunner(runner, id, phase, null, null);
  }

  /** Returns true to one caller, which then determines whether and how the container has ended. */
  boolean beginSettling() {
    return isSettling.compareAndSet(false, true);
  }

  /** The container has not ended, or that cannot be determined now. */
  void endSettling() {
    isSettling.set(false);
  }
}
