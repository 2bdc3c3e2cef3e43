/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.orchestrator.outbox.RunnerSlotsFreedEvent;
import dev.baton.orchestrator.scheduling.DelayedTask;
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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of live runners of each launcher and pool on this replica, and the starts in
 * places whose launcher refuses them ({@link PlaceBackoff}). A run that finds no room waits in its
 * order, by priority and then by its first attempt, and is notified by {@link
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
     * @param limit of the pool, or of the launcher when {@code pool} is null; null after a refusal
     * @param refusal of the launcher, although the limit has room; null when the limit is reached
     */
    record Full(
        String launcher,
        @Nullable String pool,
        @Nullable Integer limit,
        @Nullable LaunchRefusal refusal)
        implements Result {
      static Full ofLimit(String launcher, @Nullable String pool, int limit) {
        return new Full(launcher, pool, limit, null);
      }

      static Full of(RunnerPlace place, LaunchRefusal refusal) {
        return new Full(place.launcher(), place.pool(), null, refusal);
      }

      /** A word of the API. */
      String reason() {
        return refusal != null ? refusal.reason() : pool == null ? "launcher_limit" : "pool_limit";
      }
    }
  }

  private record Key(String launcher, @Nullable String pool) {
    static Key of(RunnerPlace place) {
      return new Key(place.launcher(), place.pool());
    }
  }

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

  /** Of the places whose launcher has refused a start. */
  private final Map<Key, PlaceBackoff> refusals = new HashMap<>();

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
        return new Result.Granted(tried(place));
      }
    }
    waiting.put(run, waiter);
    refused = true;
    return full(places.getFirst());
  }

  /** Takes room for a runner of a pool; runs that wait come first. */
  synchronized Optional<Slot> takeForPool(RunnerPlace place) {
    if (free(place) > waitersFor(place, null)) {
      return Optional.of(tried(place));
    }
    refused = true;
    return Optional.empty();
  }

  /** Counts a runner that exists already, even beyond the limits. */
  synchronized Slot adopt(RunnerPlace place) {
    return count(place, null);
  }

  /** Returns why the last start in a place was refused; empty after one that was accepted. */
  synchronized Optional<LaunchRefusal> refusal(String launcher, String pool) {
    return Optional.ofNullable(refusals.get(new Key(launcher, pool)))
        .filter(PlaceBackoff::isRefusing)
        .map(PlaceBackoff::refusal);
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
    PlaceBackoff backoff = refusals.get(Key.of(place));
    return Math.min(
        backoff == null ? Integer.MAX_VALUE : backoff.free(),
        Math.min(
            free(place.launcherLimit(), new Key(place.launcher(), null)),
            free(place.poolLimit(), Key.of(place))));
  }

  private int free(OptionalInt limit, Key key) {
    return limit.isEmpty() ? Integer.MAX_VALUE : limit.getAsInt() - live.getOrDefault(key, 0);
  }

  private Result.Full full(RunnerPlace place) {
    boolean isPoolFull = free(place.poolLimit(), Key.of(place)) <= 0;
    if (isPoolFull) {
      return Result.Full.ofLimit(place.launcher(), place.pool(), place.poolLimit().orElse(0));
    }
    PlaceBackoff backoff = refusals.get(Key.of(place));
    boolean isLauncherFull = free(place.launcherLimit(), new Key(place.launcher(), null)) <= 0;
    if (backoff != null && !isLauncherFull) {
      return Result.Full.of(place, backoff.refusal());
    }
    return isLauncherFull || place.poolLimit().isEmpty()
        ? Result.Full.ofLimit(place.launcher(), null, place.launcherLimit().orElse(0))
        : Result.Full.ofLimit(place.launcher(), place.pool(), place.poolLimit().getAsInt());
  }

  private Slot tried(RunnerPlace place) {
    PlaceBackoff backoff = refusals.get(Key.of(place));
    if (backoff != null) {
      backoff.tried();
    }
    return count(place, backoff);
  }

  private Slot count(RunnerPlace place, @Nullable PlaceBackoff backoff) {
    live.merge(new Key(place.launcher(), null), 1, Integer::sum);
    live.merge(Key.of(place), 1, Integer::sum);
    return new Slot(place, backoff);
  }

  private synchronized void uncount(RunnerPlace place) {
    live.merge(new Key(place.launcher(), null), -1, Integer::sum);
    live.merge(Key.of(place), -1, Integer::sum);
  }

  private void end(RunnerPlace place) {
    boolean notify;
    synchronized (this) {
      uncount(place);
      PlaceBackoff backoff = refusals.get(Key.of(place));
      if (backoff != null) {
        backoff.roomFreed();
      }
      notify = refused;
      refused = false;
    }
    if (notify) {
      freed.fire(new RunnerSlotsFreedEvent());
    }
  }

  /** The launcher has started a runner in the place. */
  private void accept(RunnerPlace place, PlaceBackoff backoff) {
    boolean notify;
    synchronized (this) {
      backoff.ended();
      backoff.succeeded();
      if (backoff.isOver()) {
        refusals.remove(Key.of(place), backoff);
      }
      notify = refused;
      refused = false;
    }
    if (notify) {
      freed.fire(new RunnerSlotsFreedEvent());
    }
  }

  /** The launcher has started nothing; wakes what waits when the next start may be tried. */
  private void refuse(RunnerPlace place, @Nullable PlaceBackoff tried, LaunchRefusal refusal) {
    Duration left;
    synchronized (this) {
      uncount(place);
      if (tried != null) {
        tried.ended();
      }
      PlaceBackoff known = refusals.get(Key.of(place));
      if (known == null) {
        known = PlaceBackoff.of(refusal);
        refusals.put(Key.of(place), known);
      } else {
        known.refused(refusal, known == tried);
      }
      left = known.left();
    }
    DelayedTask.run(
        "retry-" + place.launcher(), left, () -> freed.fire(new RunnerSlotsFreedEvent()));
  }

  /** The room of one runner, until it has ended. */
  final class Slot {
    private final RunnerPlace place;
    private final AtomicReference<@Nullable PlaceBackoff> tried;
    private final AtomicBoolean ended = new AtomicBoolean();

    private Slot(RunnerPlace place, @Nullable PlaceBackoff tried) {
      this.place = place;
      this.tried = new AtomicReference<>(tried);
    }

    RunnerPlace place() {
      return place;
    }

    /** The launcher has started the runner. Idempotent. */
    void accepted() {
      PlaceBackoff backoff = tried.getAndSet(null);
      if (backoff != null) {
        accept(place, backoff);
      }
    }

    /** The launcher has started nothing: gives the room back, and postpones further starts here. */
    void refused(LaunchRefusal refusal) {
      if (ended.compareAndSet(false, true)) {
        refuse(place, tried.getAndSet(null), refusal);
      }
    }

    /** Gives back room that was not used: notifies no waiting run. */
    void cancel() {
      if (ended.compareAndSet(false, true)) {
        giveBack();
        uncount(place);
      }
    }

    /** Idempotent. */
    void end() {
      if (ended.compareAndSet(false, true)) {
        giveBack();
        LauncherCapacityLimiter.this.end(place);
      }
    }

    /** Without a result of the start. */
    private void giveBack() {
      PlaceBackoff backoff = tried.getAndSet(null);
      if (backoff != null) {
        synchronized (LauncherCapacityLimiter.this) {
          backoff.ended();
        }
      }
    }
  }
}
