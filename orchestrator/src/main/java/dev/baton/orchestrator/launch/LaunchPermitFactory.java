/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.RunnerLauncher;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Takes what a runner occupies: room in its place, and one of the simultaneous starts. */
@ApplicationScoped
class LaunchPermitFactory {
  /** The result of a request for a run. */
  sealed interface Result {
    record Granted(LaunchPermit permit) implements Result {}

    /** No launcher that fits the run has room. */
    record Full(LauncherCapacityLimiter.Result.Full where) implements Result {}

    /** Too many runners are starting. */
    record Starting() implements Result {}
  }

  private final LauncherRegistry launchers;
  private final LauncherCapacityLimiter capacity;
  private final LaunchLimiter starts;

  LaunchPermitFactory(
      LauncherRegistry launchers, LauncherCapacityLimiter capacity, LaunchLimiter starts) {
    this.launchers = launchers;
    this.capacity = capacity;
    this.starts = starts;
  }

  /**
   * @param places at least one, in the order of preference
   */
  Result take(List<RunnerPlace> places, String run, int priority) {
    return switch (capacity.take(places, run, priority)) {
      case LauncherCapacityLimiter.Result.Full full -> new Result.Full(full);
      case LauncherCapacityLimiter.Result.Granted(LauncherCapacityLimiter.Slot slot) ->
          withStart(slot).<Result>map(Result.Granted::new).orElseGet(Result.Starting::new);
    };
  }

  Optional<LaunchPermit> takeForPool(RunnerPlace place) {
    return capacity.takeForPool(place).flatMap(this::withStart);
  }

  /** Waits for one of the simultaneous starts, at most this long. */
  Optional<LaunchPermit> takeForPool(RunnerPlace place, Duration within)
      throws InterruptedException {
    Optional<LauncherCapacityLimiter.Slot> slot = capacity.takeForPool(place);
    if (slot.isEmpty() || !isLimited(place)) {
      return slot.map(taken -> new LaunchPermit(taken, null));
    }
    Optional<LaunchLimiter.Start> start = starts.take(within);
    if (start.isEmpty()) {
      slot.get().cancel();
    }
    return start.map(taken -> new LaunchPermit(slot.get(), taken));
  }

  /** For a runner that exists already. */
  LaunchPermit adopt(RunnerPlace place) {
    return new LaunchPermit(capacity.adopt(place), null);
  }

  /** The run needs no runner any more. */
  void forget(String run) {
    capacity.forget(run);
  }

  private Optional<LaunchPermit> withStart(LauncherCapacityLimiter.Slot slot) {
    if (!isLimited(slot.place())) {
      return Optional.of(new LaunchPermit(slot, null));
    }
    Optional<LaunchLimiter.Start> start = starts.take();
    if (start.isEmpty()) {
      slot.cancel();
    }
    return start.map(taken -> new LaunchPermit(slot, taken));
  }

  private boolean isLimited(RunnerPlace place) {
    return launchers
        .launcher(place.launcher())
        .map(RunnerLauncher::capabilities)
        .map(capabilities -> capabilities.loadsHost())
        .orElse(false);
  }
}
