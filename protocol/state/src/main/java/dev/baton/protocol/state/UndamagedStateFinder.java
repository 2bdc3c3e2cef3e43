/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Folds a run and finds the latest state that a runner can restore without certain damaged
 * checkpoints. Skips states that a later {@code resume_requested} or {@code run_degraded} has
 * discarded. Must receive every event from the first on. Keeps a few bytes for each time the need
 * of a damaged checkpoint began or ended. Not thread-safe.
 */
public final class UndamagedStateFinder {
  /**
   * @param after the id of the event that led to the state; null for the run's initial state
   */
  public record Point(@Nullable String after) {}

  /**
   * Consecutive events whose states need no damaged checkpoint.
   *
   * @param first number of the first event; 0 is the initial state
   * @param last number of the last event
   * @param id of the last event; null for the initial state
   */
  private record Stretch(long first, long last, @Nullable String id) {}

  private final StateFold fold;
  private final Set<String> marks;
  private final Predicate<String> damaged;
  private final Deque<Stretch> usable = new ArrayDeque<>();
  private final Map<String, Long> numbers = new HashMap<>();
  private long number;
  private boolean good;

  /** Number of the first event that ended a step, or saved a checkpoint to resume it from. */
  private long firstProgress = Long.MAX_VALUE;

  /**
   * @param beginning the run's initial state
   * @param fold of the run, with these marks
   * @param marks {@link RestoreMarkFinder#find} of the run's events
   * @param damaged whether the checkpoint with this id cannot be restored; a cut without a
   *     checkpoint never can
   */
  public UndamagedStateFinder(
      RunState beginning, StateFold fold, Set<String> marks, Predicate<String> damaged) {
    this.fold = fold;
    this.marks = Set.copyOf(marks);
    this.damaged = damaged;
    good = !new RestoreDependencyFinder(damaged).isNeededBy(beginning);
    if (good) {
      usable.push(new Stretch(0, 0, null));
    }
  }

  public RunHead.Verdict accept(TraceRecord record) {
    RunHead.Verdict verdict = fold.accept(record);
    if (verdict == RunHead.Verdict.ACCEPTED) {
      number++;
      String id = record.id().toString();
      if (marks.contains(id)) {
        numbers.put(id, number);
      }
      note(record.event(), id);
    }
    return verdict;
  }

  private void note(TraceEvent event, String id) {
    boolean returns = isReturn(event);
    if (returns) {
      discardAfter(after(event));
    }
    if (firstProgress == Long.MAX_VALUE && isProgress(event)) {
      firstProgress = number;
    }
    boolean continued = good && !returns && !usable.isEmpty();
    if (mayChangeNeed(event)) {
      good = !fold.needs(damaged);
    }
    if (good) {
      usable.push(new Stretch(continued ? usable.pop().first() : number, number, id));
    }
  }

  private static boolean isProgress(TraceEvent event) {
    return event instanceof TraceEvent.StepCompleted
        || ResumePointTracker.isResumePoint(event)
        || event instanceof TraceEvent.StepSkipped
        || (event instanceof TraceEvent.StepFailed failed && failed.next() != null);
  }

  /**
   * The other events change neither a branch nor a resume point, so they are spared the search
   * through all branches.
   */
  private static boolean mayChangeNeed(TraceEvent event) {
    return switch (event) {
      case TraceEvent.StepCompleted done -> true;
      case TraceEvent.StepFailed failed -> true;
      case TraceEvent.StepSkipped skip -> !skip.tellsAgain();
      case TraceEvent.StepStarted started -> true;
      case TraceEvent.StepRetried again -> true;
      case TraceEvent.CheckpointSaved saved -> ResumePointTracker.isResumePoint(saved);
      case TraceEvent.RunDegraded lost -> true;
      case TraceEvent.RunnerAssigned assigned -> true;
      case TraceEvent.ResumeRequested resume -> true;
      case TraceEvent.Control other -> false;
      case TraceEvent.Runner other -> false;
    };
  }

  private static boolean isReturn(TraceEvent event) {
    return event instanceof TraceEvent.RunDegraded
        || (event instanceof TraceEvent.ResumeRequested resume && resume.from() != null);
  }

  private static @Nullable String after(TraceEvent event) {
    return switch (event) {
      case TraceEvent.ResumeRequested resume -> resume.after();
      case TraceEvent.RunDegraded lost -> lost.after();
      case TraceEvent.Control other -> null;
      case TraceEvent.Runner other -> null;
    };
  }

  /** Discards the states between the restored one and now: they are no longer the run's past. */
  private void discardAfter(@Nullable String restored) {
    long to = restored == null ? 0 : numbers.getOrDefault(restored, 0L);
    while (!usable.isEmpty() && usable.peek().first() > to) {
      usable.pop();
    }
    Stretch newest = usable.peek();
    if (newest != null && newest.last() > to) {
      usable.pop();
      usable.push(new Stretch(newest.first(), to, restored));
    }
  }

  /**
   * Returns the latest such state: the initial one where no step had ended by then, and no
   * checkpoint inside a step was saved that it resumes from. Empty where even the initial one needs
   * a damaged checkpoint.
   */
  public Optional<Point> found() {
    return Optional.ofNullable(usable.peek())
        .map(stretch -> new Point(stretch.last() < firstProgress ? null : stretch.id()));
  }
}
