/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.retry.Backoff;
import java.time.Duration;

/** Retries a call to the store with growing pauses, for a bounded time. */
final class StoreCallRetrier {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

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
    Backoff backoff = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    while (true) {
      Duration pause = backoff.next();
      try {
        return call.run();
      } catch (StoreException e) {
        if (Thread.interrupted()) {
          // An interrupt closes the socket that a virtual thread waits for, so it caused the
          // failure.
          throw (InterruptedException) new InterruptedException("interrupted").initCause(e);
        }
        if (!e.isTemporary() || System.nanoTime() + pause.toNanos() - end > 0) {
          throw e;
        }
      }
      Thread.sleep(pause);
    }
  }
}
