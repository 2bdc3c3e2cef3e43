/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Numbers the milestones of a run in the order in which their steps complete, across all branches.
 * Thread-safe.
 */
final class MilestoneSequencer {
  /** Not a monitor: a thread that waits for this lock can be interrupted. */
  private final ReentrantLock one = new ReentrantLock();

  private int next;

  /**
   * @param next the next number, from the run's state
   */
  MilestoneSequencer(int next) {
    this.next = next;
  }

  /** The only milestone in progress, until it is closed. */
  final class Turn implements AutoCloseable {
    int index() {
      return next;
    }

    /** Records that the milestone is on the trace. */
    void made(int index) {
      next = index + 1;
    }

    @Override
    public void close() {
      one.unlock();
    }
  }

  Turn begin() throws InterruptedException {
    one.lockInterruptibly();
    return new Turn();
  }
}
