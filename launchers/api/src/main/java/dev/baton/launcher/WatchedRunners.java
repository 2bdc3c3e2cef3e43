/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The runners that a launcher watches, by name: each from before its start until its exit was
 * accepted. Starts and adopts a runner once, whatever the number of callers. Thread-safe.
 *
 * @param <W> what the launcher knows of a runner
 */
public final class WatchedRunners<W extends WatchedRunners.WatchedRunner> {
  private static final int LOCKS = 64;

  /** What a launcher knows of a runner that it watches. Thread-safe. */
  public interface WatchedRunner {
    String runner();

    /** Returns the run that it executes; null for a runner of a pool, or while it is unknown. */
    @Nullable String run();

    /** Whether the place has it; false before it was created or found there. */
    boolean isFound();

    /** Returns what was seen last. */
    LaunchedRunner view();
  }

  /** Creates or finds a runner in the place. */
  @FunctionalInterface
  public interface Starter {
    LaunchedRunner start() throws LaunchException;
  }

  private final RunnerExitReporter exits;
  private final ConcurrentMap<String, W> watched = new ConcurrentHashMap<>();

  /** By hash of the name: of concurrent starts here, one creates the runner. */
  private final List<ReentrantLock> locks =
      Stream.generate(ReentrantLock::new).limit(LOCKS).toList();

  /**
   * @param exits receives the exits of these runners
   */
  public WatchedRunners(RunnerExitReporter exits) {
    this.exits = exits;
  }

  /**
   * Starts a runner, unless it is watched or its exit was accepted. It is watched before it starts,
   * because it may end at once, and no longer when the start fails.
   *
   * @throws IllegalStateException before the exits have an observer
   */
  public LaunchedRunner start(W runner, Starter starter) throws LaunchException {
    exits.requireObserver();
    String name = runner.runner();
    ReentrantLock lock = locks.get(Math.floorMod(name.hashCode(), LOCKS));
    lock.lock();
    try {
      W before = watched.get(name);
      if (before != null && before.isFound()) {
        return before.view();
      }
      if (exits.isAccepted(name)) {
        return new LaunchedRunner(name, null, RunnerPhase.ENDED, null, null);
      }
      watched.put(name, runner);
      return unlessItFails(runner, starter);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Watches a runner that another instance has started, unless it is watched.
   *
   * @param finder returns it in phase {@link RunnerPhase#GONE} when the place does not have it
   */
  public LaunchedRunner adopt(W runner, Starter finder) throws LaunchException {
    W before = watched.putIfAbsent(runner.runner(), runner);
    return before == null ? unlessItFails(runner, finder) : before.view();
  }

  private LaunchedRunner unlessItFails(W runner, Starter starter) throws LaunchException {
    boolean isWatched = false;
    try {
      LaunchedRunner found = starter.start();
      isWatched = found.phase() != RunnerPhase.GONE;
      return found;
    } finally {
      if (!isWatched) {
        remove(runner);
      }
    }
  }

  /** Returns the runner with this name; null when it is not watched. */
  public @Nullable W get(String runner) {
    return watched.get(runner);
  }

  /** Returns a live view of all runners. */
  public Collection<W> all() {
    return watched.values();
  }

  /** Passes the view of each, by name. */
  public void forEach(BiConsumer<String, LaunchedRunner> receiver) {
    watched.forEach((name, runner) -> receiver.accept(name, runner.view()));
  }

  /** Whether this runner is watched, and not another one of its name. */
  public boolean contains(W runner) {
    return watched.get(runner.runner()) == runner;
  }

  /** Whether a runner of this run is watched. */
  public boolean hasRun(String run) {
    return watched.values().stream().anyMatch(runner -> run.equals(runner.run()));
  }

  /** Ends the watch of this runner, and of no other one of its name. */
  public void remove(W runner) {
    watched.remove(runner.runner(), runner);
  }
}
