/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import dev.baton.protocol.retry.Backoff;
import java.io.IOException;
import java.time.Duration;

/**
 * Limits the retries of one operation by number or time, with jittered exponential delays between
 * them. Single use; used by one thread at a time.
 */
public final class RetryBudget {
  private final Backoff backoff;
  private final long endNanos;
  private int retriesLeft;

  private RetryBudget(Backoff backoff, int retries, long patienceNanos) {
    this.backoff = backoff;
    this.retriesLeft = retries;
    this.endNanos = System.nanoTime() + patienceNanos;
  }

  /** An attempt of the operation; may run several times. */
  @FunctionalInterface
  public interface Attempt<T> {
    T run() throws IOException, InterruptedException;
  }

  /**
   * Creates a budget of a number of attempts.
   *
   * @param attempts in all, the first included; 1 or more
   * @param first bound of the first delay, above zero
   * @param longest bound of every delay
   */
  public static RetryBudget ofAttempts(int attempts, Duration first, Duration longest) {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts: " + attempts + " is not 1 or more");
    }
    return new RetryBudget(Backoff.exponential(first, longest), attempts - 1, Long.MAX_VALUE / 2);
  }

  /**
   * Creates a budget of time, which starts now. An attempt starts only before its end, but may end
   * later.
   */
  public static RetryBudget ofTime(Duration patience, Duration first, Duration longest) {
    return new RetryBudget(
        Backoff.exponential(first, longest), Integer.MAX_VALUE, patience.toNanos());
  }

  /**
   * Waits for the delay before the next attempt.
   *
   * @return false, without waiting, when the budget does not allow another attempt
   */
  public boolean awaitNext() throws InterruptedException {
    if (retriesLeft == 0) {
      return false;
    }
    retriesLeft--;
    return backoff.pauseBefore(endNanos);
  }

  /**
   * Repeats the attempt until it succeeds.
   *
   * @throws IOException that of the last attempt, when it is not temporary or the budget is spent
   */
  public <T> T retry(Attempt<T> attempt) throws IOException, InterruptedException {
    while (true) {
      try {
        return attempt.run();
      } catch (IOException e) {
        boolean isFinal = e instanceof TransferException known && !known.isTemporary();
        if (isFinal || !awaitNext()) {
          throw e;
        }
      }
    }
  }
}
