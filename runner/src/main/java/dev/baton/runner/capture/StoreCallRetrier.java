/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Retries a call to the store with growing pauses, for a bounded time. */
final class StoreCallRetrier {
  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 1_000;

  /** A call that may fail temporarily or permanently. */
  interface Call<T> {
    T run() throws StoreException, InterruptedException;
  }

  private StoreCallRetrier() {}

  /**
   * @throws StoreException the last one, when it is not temporary or the time is over
   */
  static <T> T until(Duration patience, Call<T> call) throws StoreException, InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    long pause = FIRST_PAUSE_MS;
    while (true) {
      try {
        return call.run();
      } catch (StoreException e) {
        if (Thread.interrupted()) {
          // An interrupt closes the socket that a virtual thread waits for, so it caused the
          // failure.
          throw (InterruptedException) new InterruptedException("interrupted").initCause(e);
        }
        if (!e.isTemporary() || System.nanoTime() + pause * 1_000_000 - end > 0) {
          throw e;
        }
      }
      TimeUnit.MILLISECONDS.sleep(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }
}
