/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;

/**
 * Retries work that ran out of memory, one such work at a time per process. All runs of a shared
 * runner share the heap, so the thread that gets the error need not be the one that used the
 * memory: work that fails only because of another run's memory use succeeds when it is repeated
 * alone, and work that itself needs too much memory fails again. Thread-safe.
 */
final class OutOfMemoryRetrier {
  private static final Logger LOG = Logger.getLogger(OutOfMemoryRetrier.class);

  /** Total attempts: the retries of other runs may affect the second one, too. */
  private static final int ATTEMPTS = 3;

  private static final ReentrantLock ALONE = new ReentrantLock();

  private OutOfMemoryRetrier() {}

  /** Work that can be repeated from its beginning. */
  @FunctionalInterface
  interface Work<T, X extends Exception> {
    T run() throws X, InterruptedException;
  }

  /**
   * Runs the work, at most three times if memory runs out.
   *
   * @param what names the work in the log
   * @throws OutOfMemoryError when the work needs more memory than the process has, even alone
   * @throws InterruptedException when the thread is interrupted while it waits for its turn
   */
  static <T, X extends Exception> T endure(String what, Work<T, X> work)
      throws X, InterruptedException {
    try {
      return work.run();
    } catch (OutOfMemoryError e) {
      LOG.warnf("%s: out of memory; retrying alone: %s", what, e.getMessage());
    }
    for (int attempt = 2; attempt < ATTEMPTS; attempt++) {
      try {
        return alone(work);
      } catch (OutOfMemoryError e) {
        LOG.warnf("%s: out of memory in attempt %d: %s", what, attempt, e.getMessage());
      }
    }
    return alone(work);
  }

  private static <T, X extends Exception> T alone(Work<T, X> work) throws X, InterruptedException {
    ALONE.lockInterruptibly();
    try {
      return work.run();
    } finally {
      ALONE.unlock();
    }
  }
}
