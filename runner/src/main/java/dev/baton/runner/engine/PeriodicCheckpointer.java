/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.runner.capture.CaptureResult;
import dev.baton.runner.capture.Workspace;
import dev.baton.snapshot.threads.ThreadJoiner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Captures the workspace periodically while a step works in it, without stopping the step. Retries
 * soon after a failure. Creates and records no checkpoint once it is closed.
 */
final class PeriodicCheckpointer implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(PeriodicCheckpointer.class);

  /** After a failure the next attempt is due after this fraction of the interval. */
  private static final int SOONER = 10;

  /** For a step that resumes from them, where the runner's configuration turns them off. */
  private static final Duration NEEDED = Duration.ofMinutes(5);

  private final @Nullable Thread thread;

  private PeriodicCheckpointer(@Nullable Thread thread) {
    this.thread = thread;
  }

  static PeriodicCheckpointer none() {
    return new PeriodicCheckpointer(null);
  }

  /**
   * @param needed whether the step resumes from its checkpoints, so that it must have some
   */
  static PeriodicCheckpointer start(
      RunExecutionContext run, Workspace workspace, String step, int visit, boolean needed) {
    return run.checkpointInterval()
        .or(() -> needed ? Optional.of(NEEDED) : Optional.empty())
        .map(
            interval ->
                new PeriodicCheckpointer(
                    Thread.ofVirtual()
                        .name("periodic-" + step)
                        .start(() -> repeat(run, workspace, step, visit, interval))))
        .orElseGet(PeriodicCheckpointer::none);
  }

  private static void repeat(
      RunExecutionContext run, Workspace workspace, String step, int visit, Duration interval) {
    try {
      for (boolean failed = false; ; ) {
        Duration pause = failed ? interval.dividedBy(SOONER) : interval;
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        failed = !isMade(run, workspace, step, visit);
      }
    } catch (InterruptedException ended) {
      // The step has ended.
    }
  }

  private static boolean isMade(
      RunExecutionContext run, Workspace workspace, String step, int visit)
      throws InterruptedException {
    try {
      return !(CheckpointRecorder.make(
              run, workspace, CheckpointTrigger.PERIODIC, step, visit, false)
          instanceof CaptureResult.Failed);
    } catch (RuntimeException | Error e) {
      LOG.warnf(e, "run %s: periodic checkpoint of step '%s' failed; retrying", run.run(), step);
      return false;
    }
  }

  /** Blocks until no checkpoint is in progress. An interrupt meanwhile is kept for later. */
  @Override
  public void close() {
    if (thread == null) {
      return;
    }
    thread.interrupt();
    ThreadJoiner.join(List.of(thread));
  }
}
