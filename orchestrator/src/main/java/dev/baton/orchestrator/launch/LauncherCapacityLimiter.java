/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of live runners of each launcher and pool on this replica. A run that finds no
 * room waits in its order, by priority and then by its first attempt, and is notified by {@link
 * RunnerSlotsFreedEvent} when a runner has ended; no run with a lower priority gets the room before
 * it. Counts in memory, so that a start costs no query. Thread-safe.
 */
@ApplicationScoped
class LauncherCapacityLimiter {
  /** A waiting run tries again at least every second; one that no longer does needs no room. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(5);

  /** The result of a request for room. */
  sealed interface Result {
    record Granted(Slot slot) implements Result {}

    /**
     * @param limit of the pool; of the launcher when {@code pool} is null
     */
    record Full(String launcher, @Nullable String pool, int limit) implements Result {}
  }

  private record Key(String launcher, @Nullable String pool) {}

  private record Waiter(
      String run, int priority, long sequence, List<RunnerPlace> places, long triedNanos) {
    boolean isBefore(Waiter other) {
      return Comparator.comparingInt((Waiter waiter) -> -waiter.priority())
              .thenComparingLong(Waiter::sequence)
              .compare(this, other)
          < 0;
    }
  }

  private final Event<RunnerSlotsFreedEvent> freed;
  private final Map<Key, Integer> live = new HashMap<>();
  private final Map<String, Waiter> waiting = new HashMap<>();
  private long sequence;
  private boolean refused;

  LauncherCapacityLimiter(Event<RunnerSlotsFreedEvent> freed) {
    this.freed = freed;
  }

  /**
   * Takes room for the runner of a run in the first of these places that has some.
   *
   * @param places at least one
   */
  synchronized Result take(List<RunnerPlace> places, String run, int priority) {
    Waiter before = waiting.remove(run);
    Waiter waiter =
        new Waiter(
            run,
            priority,
            before == null ? sequence++ : before.sequence(),
            places,
            System.nanoTime());
    waiting
        .values()
        .removeIf(other -> waiter.triedNanos() - other.triedNanos() > FORGOTTEN.toNanos());
    for (RunnerPlace place : places) {
      if (free(place) > waitersFor(place, waiter)) {
        return new Result.Granted(count(place));
      }
    }
    waiting.put(run, waiter);
    refused = true;
    return full(places.getFirst());
  }

  /** Takes room for a runner of a pool; runs that wait come first. */
  synchronized Optional<Slot> takeForPool(RunnerPlace place) {
    if (free(place) > waitersFor(place, null)) {
      return Optional.of(count(place));
    }
    refused = true;
    return Optional.empty();
  }

  /** Counts a runner that exists already, even beyond the limits. */
  synchronized Slot adopt(RunnerPlace place) {
    return count(place);
  }

  /** Removes a run that needs no runner any more. */
  synchronized void forget(String run) {
    waiting.remove(run);
  }

  private long waitersFor(RunnerPlace place, @Nullable Waiter than) {
    return waiting.isEmpty()
        ? 0
        : waiting.values().stream()
            .filter(other -> other.places().contains(place))
            .filter(other -> than == null || other.isBefore(than))
            .count();
  }

  private int free(RunnerPlace place) {
    return Math.min(
        free(place.launcherLimit(), new Key(place.launcher(), null)),
        free(place.poolLimit(), new Key(place.launcher(), place.pool())));
  }

  private int free(OptionalInt limit, Key key) {
    return limit.isEmpty() ? Integer.MAX_VALUE : limit.getAsInt() - live.getOrDefault(key, 0);
  }

  private Result.Full full(RunnerPlace place) {
    Key pool = new Key(place.launcher(), place.pool());
    return place.poolLimit().isPresent()
            && (free(place.poolLimit(), pool) <= 0 || place.launcherLimit().isEmpty())
        ? new Result.Full(place.launcher(), place.pool(), place.poolLimit().getAsInt())
        : new Result.Full(place.launcher(), null, place.launcherLimit().orElse(0));
  }

  private Slot count(RunnerPlace place) {
    live.merge(new Key(place.launcher(), null), 1, Integer::sum);
    live.merge(new Key(place.launcher(), place.pool()), 1, Integer::sum);
    return new Slot(place);
  }

  private synchronized void uncount(RunnerPlace place) {
    live.merge(new Key(place.launcher(), null), -1, Integer::sum);
    live.merge(new Key(place.launcher(), place.pool()), -1, Integer::sum);
  }

  private void end(RunnerPlace place) {
    boolean notify;
    synchronized (this) {
      uncount(place);
      notify = refused;
      refused = false;
    }
    if (notify) {
      freed.fire(new RunnerSlotsFreedEvent());
    }
  }

  /** The room of one runner, until it has ended. */
  final class Slot {
    private final RunnerPlace place;
    private final AtomicBoolean ended = new AtomicBoolean();

    private Slot(RunnerPlace place) {
      this.place = place;
    }

    RunnerPlace place() {
      return place;
    }

    /** Gives back room that was not used: notifies no waiting run. */
    void cancel() {
      if (ended.compareAndSet(false, true)) {
        uncount(place);
      }
    }

    /** Idempotent. */
    void end() {
      if (ended.compareAndSet(false, true)) {
        LauncherCapacityLimiter.this.end(place);
      }
    }
  }
}
