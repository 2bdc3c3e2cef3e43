/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Folds a run and finds the latest point at which a given step of its main line was the next one.
 * Must receive every event from the first on. Not thread-safe.
 */
public final class ResumeStateFinder {
  /**
   * @param after the id of the event after which the step was next; null for the run's beginning
   * @param state after that event
   */
  public record Found(@Nullable String after, RunState state) {}

  private final StateFold fold;
  private final String step;
  private final RunState beginning;
  private @Nullable Found found;

  /**
   * @param beginning the run's initial state
   * @param fold of the run, with its marks
   * @param step id of the step to find
   */
  public ResumeStateFinder(RunState beginning, StateFold fold, String step) {
    this.fold = fold;
    this.step = step;
    this.beginning = beginning;
    if (isNext()) {
      found = new Found(null, beginning);
    }
  }

  public RunHead.Verdict accept(TraceRecord record) {
    boolean unbegun = !fold.branch(StepPath.MAIN).begun();
    RunHead.Verdict verdict = fold.accept(record);
    if (verdict == RunHead.Verdict.ACCEPTED) {
      if (isTurn(record.event()) && isNext()) {
        found = new Found(record.id().toString(), fold.state());
      } else if (unbegun
          && record.event() instanceof TraceEvent.OfStep of
          && of.step().equals(step)) {
        // The run's first step.
        found = new Found(null, beginning);
      }
    }
    return verdict;
  }

  /** Returns the latest such point; empty when the step was never next. */
  public Optional<Found> found() {
    return Optional.ofNullable(found);
  }

  /** Whether the event can change the next step of the main line. */
  private static boolean isTurn(TraceEvent event) {
    return switch (event) {
      case TraceEvent.StepCompleted done -> isOnMainLine(done);
      case TraceEvent.StepSkipped skip -> isOnMainLine(skip) && !skip.tellsAgain();
      case TraceEvent.StepFailed failed -> isOnMainLine(failed) && failed.next() != null;
      case TraceEvent.StepRerouted reroute -> isOnMainLine(reroute);
      case TraceEvent.ResumeRequested resume -> true;
      case TraceEvent.Control other -> false;
      case TraceEvent.Runner other -> false;
    };
  }

  private static boolean isOnMainLine(TraceEvent.OfStep event) {
    return StepPath.branchOf(event.step()).equals(StepPath.MAIN);
  }

  private boolean isNext() {
    BranchState main = fold.branch(StepPath.MAIN);
    return main.begun()
        && !main.next().isEmpty()
        && StepPath.idOf(main.next().getFirst()).equals(step);
  }
}
