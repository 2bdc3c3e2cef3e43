/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.state.BranchState;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.capture.DamagedCheckpointException;
import dev.baton.runner.capture.RestorableState;
import dev.baton.runner.capture.StoreCaller;
import dev.baton.runner.capture.StoreException;
import dev.baton.runner.capture.Workspace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Selects the state that a runner starts from: the newest, or, each time a checkpoint of it turns
 * out to be damaged, the latest earlier one that does not need it. For one thread.
 */
final class StateFallback {
  private static final Logger LOG = Logger.getLogger(StateFallback.class);

  /** Limit of a reason in characters; an event and the run's view have up to 16 of them. */
  private static final int LONGEST_REASON = 500;

  private final RunAssignment assignment;
  private final RunSnapshotSource snapshots;
  private final Map<String, DamagedCheckpoint> damaged = new LinkedHashMap<>();

  /** Those of {@link #damaged} that are not on the log yet. */
  private final List<DamagedCheckpoint> unsent = new ArrayList<>();

  private RunState state;
  private @Nullable String after;
  private boolean possible = true;
  private int restarts;

  /**
   * @param newest the state as of this epoch's start
   */
  StateFallback(RunAssignment assignment, RunSnapshotSource snapshots, RunState newest) {
    this.assignment = assignment;
    this.snapshots = snapshots;
    state = newest;
  }

  RunState state() {
    return state;
  }

  /** Returns how often an earlier state has been selected. */
  int restarts() {
    return restarts;
  }

  /** Whether there is a state that the run can continue from. */
  boolean isPossible() {
    return possible;
  }

  /** Whether the run would start from its beginning although it has {@code restart: never}. */
  boolean isRefused() {
    TraceEvent.RunCreated created = state.created();
    // A runner before this one may have announced it, and ended before the run was lost.
    boolean fromTheBeginning =
        restarts > 0
            ? after == null
            : !state.head().degraded().isEmpty()
                && state.head().completed() == 0
                && state.steps().values().stream().allMatch(step -> step.resumePoint() == null);
    return fromTheBeginning
        && created != null
        && created.forkedFrom() == null
        && created.restart().equals("never");
  }

  /** Returns the event that announces the selected state; empty where it has been returned. */
  Optional<TraceEvent.RunDegraded> loss() {
    if (unsent.isEmpty()) {
      return Optional.empty();
    }
    TraceEvent.RunDegraded loss = new TraceEvent.RunDegraded(unsent, after);
    unsent.clear();
    return Optional.of(loss);
  }

  /** Describes the damaged checkpoints for a person. */
  String description() {
    return TextShortener.shorten(
        damaged.values().stream()
            .map(lost -> "%s: %s".formatted(lost.digest(), lost.reason()))
            .collect(Collectors.joining("; ")),
        2_000);
  }

  /** Returns the files of the main line. The early start may have restored those of the newest. */
  Workspace workspace(StoreCaller holder) throws InterruptedException {
    return restarts == 0 ? snapshots.workspace(holder) : snapshots.unrestored(holder);
  }

  /**
   * Selects the latest state that needs none of the checkpoints that have turned out to be damaged.
   *
   * @throws RunBrokenException the given one, if its cause is another one, or if no earlier state
   *     can avoid the damaged cut. That is so for a cut of this epoch: the next runner avoids it
   */
  void passOver(RunBrokenException failure) throws StoreException, InterruptedException {
    if (!(failure.getCause() instanceof DamagedCheckpointException damage)) {
      throw failure;
    }
    String id = damage.cut().checkpoint();
    String branch = branch(damage.cut());
    if (branch == null || id == null || damaged.containsKey(id)) {
      throw failure;
    }
    DamagedCheckpoint lost =
        new DamagedCheckpoint(
            branch,
            id,
            damage.cut().digest(),
            TextShortener.shorten(String.valueOf(damage.getMessage()), LONGEST_REASON));
    LOG.errorf(
        "run %s, epoch %d: checkpoint %s (%s) cannot be restored, passing it over: %s",
        assignment.run(), assignment.epoch(), id, lost.digest(), lost.reason());
    damaged.put(id, lost);
    unsent.add(lost);
    restarts++;
    Optional<RestorableState> earlier =
        snapshots.getWithout(
            assignment.run(), assignment.epoch(), assignment.lease(), damaged.keySet());
    possible = earlier.isPresent();
    earlier.ifPresent(
        restorable -> {
          state = restorable.state();
          after = restorable.after();
        });
  }

  /** Returns the branch whose files the cut has; null if the state does not need it. */
  private @Nullable String branch(Cut cut) {
    for (Map.Entry<String, BranchState> branch : state.branches().entrySet()) {
      if (cut.equals(branch.getValue().cut())) {
        return branch.getKey();
      }
    }
    for (StepState step : state.steps().values()) {
      if (!step.hasEnded() && cut.equals(step.resumePoint())) {
        return StepPath.branchOf(step.step());
      }
    }
    return null;
  }
}
