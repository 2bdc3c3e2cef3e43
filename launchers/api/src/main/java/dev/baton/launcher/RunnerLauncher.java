/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Starts runners in one kind of place, reports their phases and exits, and kills them with
 * everything they started. Implementations are thread-safe.
 *
 * <p>All methods block for a bounded time; callers use virtual threads. Phases and exits are pushed
 * to the {@link RunnerObserver}.
 *
 * <pre>
 *   queued ──→ pulling ──→ starting ──→ running ──→ ended   the exit is known and is reported
 *      └──────────┴───────────┴────────────┴──────→ gone    nothing is known of it any more
 * </pre>
 *
 * A launcher may skip phases, and never goes back to an earlier one.
 *
 * <p>A launcher keeps nothing that its runners need: when the orchestrator dies, they continue. The
 * next instance gets their names and handles from the caller's records, or from {@link #list}, and
 * {@link #adopt adopts} them.
 */
public interface RunnerLauncher extends AutoCloseable {
  /** Returns the kind of place, for example {@code process}. */
  String type();

  /** Returns what this launcher can do. Constant. */
  LauncherCapabilities capabilities();

  /**
   * Sets the receiver of phases and exits. Called once, before {@link #start} and {@link #adopt}.
   *
   * @throws IllegalStateException when it is called again
   */
  void observe(RunnerObserver observer);

  /**
   * Starts a runner, or finds the one that was started under this name before, also by another
   * instance. Of concurrent calls with the same name one starts the runner. The launcher watches it
   * from then on. A name is not used for a second runner.
   *
   * @return the runner; in phase {@link RunnerPhase#ENDED} when it has already ended
   * @throws LaunchException when no runner was started; the subtype states when to retry
   */
  LaunchedRunner start(LaunchSpec spec) throws LaunchException;

  /**
   * Watches a runner that another instance has started. Idempotent.
   *
   * @param handle from the earlier {@link LaunchedRunner}; null when it was not recorded, and the
   *     runner is then found by its name
   * @return the runner; in phase {@link RunnerPhase#ENDED} its exit is reported to the observer; in
   *     phase {@link RunnerPhase#GONE} nothing is reported, and the caller decides what it means. A
   *     handle that now belongs to another process is gone
   * @throws LaunchException.UnavailableException when the place cannot be queried
   */
  LaunchedRunner adopt(String runner, @Nullable String handle) throws LaunchException;

  /**
   * Returns the runners of this installation that are in the place now, also those that were not
   * adopted, and those whose exit the observer has not accepted.
   *
   * @throws LaunchException.UnavailableException when the place cannot be queried
   */
  List<LaunchedRunner> list() throws LaunchException;

  /** Whether this runner exists and has not ended. False for a handle that was reused. */
  boolean isAlive(String runner, @Nullable String handle);

  /** Requests a runner to save its work and end (SIGTERM). No effect when it does not exist. */
  void stop(String runner);

  /** Ends a runner at once. Its exit is reported. No effect when it does not exist. */
  void kill(String runner);

  /**
   * Ends everything that runners of older epochs have started, also processes in sessions of their
   * own and those whose runner has already ended. Never ends a process of a newer epoch. A run that
   * cannot be killed delays no other. When interrupted, returns early and keeps the interrupt.
   *
   * @param killed receives each run of which nothing is left, at once, on the calling thread
   * @return the runs of which a process was left after the patience
   */
  Set<String> kill(KillRequest request, Consumer<String> killed);

  /** Returns where the output of a runner is, for people; empty when it is not kept. */
  String logLocation(String runner);

  /** Stops watching and reporting. The runners continue. Idempotent. */
  @Override
  void close();
}
