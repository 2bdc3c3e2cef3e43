/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import dev.baton.launcher.LaunchedRunner;
import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerPhase;
import dev.baton.launcher.WatchedRunners;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A runner from before its pod is created until its exit was accepted. Thread-safe. */
final class WatchedPod implements WatchedRunners.WatchedRunner {
  private final String runner;
  private @Nullable String run;
  private @Nullable PodView last;
  private RunnerPhase phase = RunnerPhase.QUEUED;
  private boolean isDeleted;
  private PodExit.Removal removal = PodExit.Removal.NONE;
  private @Nullable LaunchedRunner reported;
  private boolean isBusy;
  private boolean isChanged;

  /**
   * @param run null for a runner of a pool, and for one that is being adopted
   */
  WatchedPod(String runner, @Nullable String run) {
    this.runner = runner;
    this.run = run;
  }

  @Override
  public String runner() {
    return runner;
  }

  @Override
  public synchronized @Nullable String run() {
    return run;
  }

  /** Null before it was created or found. */
  synchronized @Nullable PodView last() {
    return last;
  }

  @Override
  public synchronized boolean isFound() {
    return last != null;
  }

  synchronized RunnerPhase phase() {
    return phase;
  }

  /** The runner has this pod. Ignores a state that is older than the last one. */
  synchronized LaunchedRunner sees(PodView pod) {
    PodView before = last;
    if (!isDeleted
        && pod.phase().compareTo(phase) >= 0
        && (before == null || before.uid().equals(pod.uid()))) {
      last = pod;
      run = pod.run();
      phase = pod.phase();
    }
    return view();
  }

  /** Its pod, with this last state, exists no more. */
  synchronized void seesDeletion(PodView pod) {
    PodView before = last;
    if (before == null || before.uid().equals(pod.uid())) {
      if (phase != RunnerPhase.ENDED || pod.phase() == RunnerPhase.ENDED) {
        last = pod;
      }
      phase = RunnerPhase.ENDED;
      isDeleted = true;
    }
  }

  /**
   * Takes the reason of a removal that this launcher requests. A pod that another program has
   * deleted before, such as the scheduler for one of a higher priority, has ended by that.
   */
  synchronized void removes(PodExit.Removal why) {
    boolean isAlreadyDeleted =
        removal == PodExit.Removal.NONE
            && last != null
            && last.source().getMetadata().getDeletionTimestamp() != null;
    if (removal != PodExit.Removal.OVERDUE
        && !(why == PodExit.Removal.REQUESTED && isAlreadyDeleted)) {
      removal = why;
    }
  }

  /** Returns its exit; null before its end. */
  synchronized @Nullable RunnerExit exit() {
    PodView pod = last;
    return phase != RunnerPhase.ENDED || pod == null
        ? null
        : PodExit.of(runner, pod.source(), isDeleted, removal);
  }

  synchronized boolean isDeleted() {
    return isDeleted;
  }

  @Override
  public synchronized LaunchedRunner view() {
    PodView pod = last;
    return new LaunchedRunner(
        runner,
        pod == null ? null : pod.uid(),
        phase,
        pod == null || phase == RunnerPhase.ENDED ? null : pod.reason(),
        null);
  }

  /** Returns a view that was not reported yet; null when it was. */
  synchronized @Nullable LaunchedRunner change() {
    LaunchedRunner now = view();
    if (Objects.equals(now, reported)) {
      return null;
    }
    reported = now;
    return now;
  }

  /** The observer has this view from the result of a call. */
  synchronized void knows(LaunchedRunner view) {
    reported = view;
  }

  /** Returns true to one caller, which then reports until {@link #endReporting} returns true. */
  synchronized boolean beginReporting() {
    isChanged = true;
    if (isBusy) {
      return false;
    }
    isBusy = true;
    isChanged = false;
    return true;
  }

  /** Returns false when there is more to report. */
  synchronized boolean endReporting() {
    isBusy = isChanged;
    isChanged = false;
    return !isBusy;
  }
}
