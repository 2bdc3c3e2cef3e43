/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.retry;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Calculates the delays between the attempts of one operation: exponential growth up to a maximum,
 * with equal jitter, so that callers that failed together do not retry together. A delay is drawn
 * evenly from the upper half of its bound, {@code [bound / 2, bound]}; the bound starts at the
 * first delay and doubles with each one.
 *
 * <p>Blocking callers call {@link #pause}, reactive callers schedule {@link #next}. Keeps state for
 * one sequence of attempts; used by one thread at a time.
 *
 * <p>Jitter after Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
public final class Backoff {
  private final long firstNanos;
  private final long longestNanos;
  private final RandomGenerator random;
  private long boundNanos;

  private Backoff(Duration first, Duration longest, RandomGenerator random) {
    if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "backoff: first delay " + first + " must be above zero and at most " + longest);
    }
    this.firstNanos = first.toNanos();
    this.longestNanos = longest.toNanos();
    this.random = random;
    this.boundNanos = firstNanos;
  }

  /**
   * Creates a backoff whose bound doubles from {@code first} to {@code longest}.
   *
   * @throws IllegalArgumentException when {@code first} is not above zero, or above {@code longest}
   */
  public static Backoff exponential(Duration first, Duration longest) {
    return new Backoff(first, longest, () -> ThreadLocalRandom.current().nextLong());
  }

  /** Creates a backoff with the same bound for each delay. */
  public static Backoff constant(Duration each) {
    return exponential(each, each);
  }

  /** Creates a backoff whose jitter follows {@code random}, for tests that repeat a seed. */
  public static Backoff seeded(Duration first, Duration longest, RandomGenerator random) {
    return new Backoff(first, longest, random);
  }

  /**
   * Returns the delay before a retry, for callers that store the number of attempts elsewhere.
   *
   * @param retry its number, from 1
   * @throws IllegalArgumentException as in {@link #exponential}, and for a number below 1
   */
  public static Duration delay(Duration first, Duration longest, int retry) {
    return jittered(bound(first, longest, retry));
  }

  /**
   * Returns the bound of {@link #delay}, for decisions without chance; apply {@link #jittered}
   * where the delay is scheduled.
   */
  public static Duration bound(Duration first, Duration longest, int retry) {
    if (retry < 1) {
      throw new IllegalArgumentException("backoff: retry " + retry + " is not 1 or more");
    }
    Backoff backoff = exponential(first, longest);
    for (int i = 1; i < retry && backoff.boundNanos < backoff.longestNanos; i++) {
      backoff.increase();
    }
    return Duration.ofNanos(backoff.boundNanos);
  }

  /** Returns a delay from the upper half of the bound; zero for zero. */
  public static Duration jittered(Duration bound) {
    return bound.isZero() ? bound : constant(bound).next();
  }

  /** Returns the delay before the next attempt and doubles the bound. */
  public Duration next() {
    long half = boundNanos / 2;
    long delay = half + random.nextLong(boundNanos - half + 1);
    increase();
    return Duration.ofNanos(delay);
  }

  /** Waits for the next delay; the thread must be one that may block. */
  public void pause() throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(next().toNanos());
  }

  /**
   * Waits as {@link #pause}, unless the delay would end after {@code endNanos}.
   *
   * @param endNanos on the clock of {@link System#nanoTime}
   * @return false, without waiting, when it would
   */
  public boolean pauseBefore(long endNanos) throws InterruptedException {
    long delay = next().toNanos();
    if (System.nanoTime() + delay - endNanos > 0) {
      return false;
    }
    TimeUnit.NANOSECONDS.sleep(delay);
    return true;
  }

  /** Waits as {@link #pause}; returns false, with the interrupt status set, when interrupted. */
  public boolean pauseUnlessInterrupted() {
    try {
      pause();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void increase() {
    boundNanos = boundNanos > longestNanos / 2 ? longestNanos : boundNanos * 2;
  }

  /** Starts again with the first delay: an attempt has succeeded. */
  public void reset() {
    boundNanos = firstNanos;
  }
}
