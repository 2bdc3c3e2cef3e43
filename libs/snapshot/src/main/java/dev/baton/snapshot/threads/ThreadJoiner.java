/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.threads;

import java.util.List;

/** Joins threads that use resources of the caller. */
public final class ThreadJoiner {
  private ThreadJoiner() {}

  /**
   * Waits until all threads have ended. An interrupt does not end the wait; the interrupt status is
   * kept. The wait has no timeout: the caller interrupts the threads before, or they are about to
   * end.
   */
  public static void join(List<Thread> threads) {
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
