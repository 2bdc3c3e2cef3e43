/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import dev.baton.protocol.retry.Backoff;
import java.time.Duration;

/**
 * Follows the runners of an engine until the launcher is closed: by a stream of changes, and by
 * lists at an interval that find what the stream has missed. An engine that does not answer is
 * tried again with a pause of 0.2 to 10 s, and reported in the log once. Runs on one thread.
 */
public final class RelistLoop {
  private static final System.Logger LOG = System.getLogger(RelistLoop.class.getName());
  private static final Duration FIRST_BACKOFF = Duration.ofMillis(200);
  private static final Duration MAX_BACKOFF = Duration.ofSeconds(10);

  private final String engine;
  private final Duration interval;
  private final RunnerExitReporter exits;

  /** An open stream of changes. */
  public interface ChangeStream extends AutoCloseable {
    /** Waits for the stream's end; false when it is still open after this time. */
    boolean isEndedWithin(Duration time) throws InterruptedException;

    @Override
    void close();
  }

  /** Where runners are followed. */
  public interface ChangeSource {
    /**
     * Opens a stream and lists once, so that no change between the two is lost.
     *
     * @throws LaunchException when the engine does not answer; nothing is left open then
     */
    ChangeStream open() throws LaunchException;

    /**
     * Lists all runners.
     *
     * @throws LaunchException when the engine does not answer
     */
    void list() throws LaunchException;
  }

  /**
   * @param engine its name in the log
   * @param interval between two lists, with jitter
   * @param exits whose end is that of the loop
   */
  public RelistLoop(String engine, Duration interval, RunnerExitReporter exits) {
    this.engine = engine;
    this.interval = interval;
    this.exits = exits;
  }

  /** Returns when the launcher is closed, or the thread is interrupted. */
  public void run(ChangeSource source) {
    Backoff backoff = Backoff.exponential(FIRST_BACKOFF, MAX_BACKOFF);
    boolean isReported = false;
    Duration pause = Duration.ZERO;
    while (!exits.isClosedWithin(pause)) {
      try (ChangeStream changes = source.open()) {
        if (isReported) {
          LOG.log(System.Logger.Level.INFO, "{0} answers again", engine);
          isReported = false;
        }
        backoff.reset();
        while (!exits.isClosedWithin(Duration.ZERO)
            && !changes.isEndedWithin(Backoff.jittered(interval))) {
          source.list();
        }
      } catch (LaunchException e) {
        if (!isReported && !exits.isClosedWithin(Duration.ZERO)) {
          LOG.log(
              System.Logger.Level.WARNING,
              "ends of runners of {0} are not seen, retrying: {1}",
              engine,
              e.getMessage());
          isReported = true;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      pause = backoff.next();
    }
  }
}
