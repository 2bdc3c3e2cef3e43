/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.TraceEvent;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the resume points of a fold's steps: the cut inside a step on whose files a new epoch
 * starts it again. Not thread-safe.
 */
final class ResumePointTracker {
  private final Map<String, StepState> steps;
  private final UncommittedStepTracker uncommitted;

  /** Paths of all steps that have or had one, so that not all steps are searched. */
  private final Set<String> paths = new HashSet<>();

  /**
   * @param steps of the fold, which this changes
   */
  ResumePointTracker(Map<String, StepState> steps, UncommittedStepTracker uncommitted) {
    this.steps = steps;
    this.uncommitted = uncommitted;
    reset();
  }

  /** Whether a step in progress continues from this event. */
  static boolean isResumePoint(TraceEvent event) {
    return event instanceof TraceEvent.CheckpointSaved saved
        && saved.cut() != null
        && saved.resumes() != null;
  }

  /** Returns what a started attempt keeps: nothing if it has the files before the step. */
  static @Nullable Cut kept(@Nullable StepState old, TraceEvent.StepStarted started) {
    if (old == null || old.visit() != started.visit()) {
      return null;
    }
    Cut point = old.resumePoint();
    return point != null && Objects.equals(point.checkpoint(), started.resumedFrom())
        ? point
        : null;
  }

  /** Reads the steps again: the fold has replaced them, or rolled them back. */
  void reset() {
    paths.clear();
    for (StepState state : steps.values()) {
      if (state.resumePoint() != null) {
        paths.add(state.step());
      }
    }
  }

  /** The steps that have or had one. */
  Stream<StepState> steps() {
    return paths.stream().map(steps::get).filter(Objects::nonNull);
  }

  void save(TraceEvent.CheckpointSaved saved) {
    Cut cut = saved.cut();
    StepAttempt resumes = saved.resumes();
    if (cut == null || resumes == null) {
      return;
    }
    steps.computeIfPresent(
        resumes.step(),
        (key, state) ->
            state.visit() == resumes.visit() && !state.hasEnded()
                ? state.withResumePoint(cut)
                : state);
    paths.add(resumes.step());
  }

  /** A retried parallel step starts the failed steps of its branches on the files before them. */
  void forgetWithin(String prefix) {
    for (String path : paths) {
      StepState state = steps.get(path);
      // Only where a point is left: a fold that began later has no earlier ones.
      if (path.startsWith(prefix) && state != null && state.resumePoint() != null) {
        uncommitted.touchWithin(prefix);
        steps.put(path, state.withResumePoint(null));
      }
    }
  }
}
