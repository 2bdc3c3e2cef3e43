/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.threads;

import java.util.List;

/** For whoever must not leave before others have ended, because they use what is his. */
public final class ThreadJoiner {
  private ThreadJoiner() {}

  /**
   * Waits until none of these threads is alive. An interrupt meanwhile does not end the wait and is
   * kept for later. As long as they live: they are to be interrupted, or at their end, before.
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
