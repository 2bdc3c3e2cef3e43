/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.transfer.RetryBudget;
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
    RetryBudget budget = budget(patience);
    while (true) {
      try {
        return call.run();
      } catch (StoreException e) {
        if (!e.isTemporary() || !budget.awaitNext()) {
          throw e;
        }
      }
    }
  }

  /** Creates the budget of a call that is retried for this long. */
  static RetryBudget budget(Duration patience) {
    return RetryBudget.ofTime(patience, FIRST_PAUSE, LONGEST_PAUSE);
  }
}
