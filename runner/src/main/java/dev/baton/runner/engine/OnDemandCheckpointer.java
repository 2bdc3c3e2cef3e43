/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.runner.capture.AgentCapture;
import dev.baton.runner.capture.CaptureResult;
import dev.baton.runner.capture.Workspace;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Creates the checkpoints of a run that are requested while its files are on this runner, from
 * {@link #open} to {@link #close}. Creates none after the run's last event. Thread-safe.
 */
final class OnDemandCheckpointer {
  private static final Logger LOG = Logger.getLogger(OnDemandCheckpointer.class);

  private static final int MOST_REMEMBERED = 1_000;

  /** Limit of pending checkpoints; each waits for the one before it. */
  static final int MOST_AT_ONCE = 16;

  private final RunStopController control;
  private final Set<Thread> making = new HashSet<>();

  /** The orchestrator may repeat requests after its stream broke. */
  private final Set<String> asked = new HashSet<>();

  private @Nullable RunExecutionContext run;
  private @Nullable Workspace workspace;

  OnDemandCheckpointer(RunStopController control) {
    this.control = control;
  }

  /** Accepts requests from now on: the files are available. */
  synchronized void open(RunExecutionContext context, Workspace files) {
    run = context;
    workspace = files;
  }

  /**
   * Captures the main line's files as they are now, with conversation and screen of its agent,
   * without stopping the run, and records the checkpoint in the trace. Blocks.
   *
   * @param id the checkpoint's id; a repeated request with the same id has no effect
   * @return why there is none; empty when there is, or will be
   */
  Optional<String> make(CheckpointTrigger trigger, String id) {
    RunExecutionContext context;
    Workspace files;
    synchronized (this) {
      context = run;
      files = workspace;
      if (context == null || files == null) {
        return Optional.of("the run has no workspace, or none on this runner now");
      }
      if (asked.contains(id)) {
        return Optional.empty();
      }
      if (making.size() == MOST_AT_ONCE) {
        return Optional.of(
            "%d checkpoints of the run are already in progress".formatted(MOST_AT_ONCE));
      }
      if (asked.size() == MOST_REMEMBERED) {
        asked.clear();
      }
      asked.add(id);
      making.add(Thread.currentThread());
    }
    try {
      return make(context, files, trigger, id);
    } finally {
      synchronized (this) {
        making.remove(Thread.currentThread());
        // A pending interrupt was meant for the checkpoint that has ended.
        Thread.interrupted();
        notifyAll();
      }
    }
  }

  private Optional<String> make(
      RunExecutionContext context, Workspace files, CheckpointTrigger trigger, String id) {
    try {
      Optional<AgentSessionRecorder> agent = context.running().onMainLine();
      CaptureResult saved =
          agent.isPresent()
              ? agent.get().captureRequested(state -> capture(context, files, trigger, id, state))
              : capture(context, files, trigger, id, null);
      return switch (saved) {
        case CaptureResult.Made made -> Optional.empty();
        case CaptureResult.Unchanged unchanged -> Optional.of("nothing has changed");
        case CaptureResult.Failed(String reason) -> Optional.of(reason);
      };
    } catch (InterruptedException e) {
      return Optional.of("the run ends or is stopped here");
    } catch (RuntimeException | Error e) {
      LOG.warnf(e, "run %s: %s checkpoint failed", context.run(), trigger.word());
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private CaptureResult capture(
      RunExecutionContext context,
      Workspace files,
      CheckpointTrigger trigger,
      String id,
      @Nullable AgentCapture agent)
      throws InterruptedException {
    control.enterAside();
    try {
      return CheckpointRecorder.makeRequested(context, files, id, trigger, agent);
    } finally {
      control.leave();
    }
  }

  /** Interrupts checkpoints in progress. When this returns there are none, and none will follow. */
  synchronized void close() {
    run = null;
    workspace = null;
    making.forEach(Thread::interrupt);
    boolean interrupted = false;
    while (!making.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
