/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Numbers the milestones of a run in the order in which their steps complete, whatever branches
 * these are on. Thread-safe.
 */
final class MilestoneSequencer {
  /** Not a monitor: whoever waits for one can be interrupted. */
  private final ReentrantLock one = new ReentrantLock();

  private int next;

  /**
   * @param next that the run's state says
   */
  MilestoneSequencer(int next) {
    this.next = next;
  }

  /** The only milestone that is being made, until it is closed. */
  final class Turn implements AutoCloseable {
    int index() {
      return next;
    }

    /** It is on the trace. */
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
