/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits how many programs of its runs a shared runner executes at the same time. Otherwise those
 * of a burst would take the processor from its heartbeats. Steps wait in the order in which they
 * came. Thread-safe.
 */
public final class SharedProgramLimiter {
  /** A place for one program. */
  public interface Place extends AutoCloseable {
    @Override
    void close();
  }

  private static final int LEAST = 4;
  private static final int PER_PROCESSOR = 2;

  private final Semaphore places;

  /**
   * @param max number of programs at a time, at least 1
   */
  public SharedProgramLimiter(int max) {
    this.places = new Semaphore(max, true);
  }

  /** Returns the default limit: two for each processor, at least 4. */
  public static int defaultMax() {
    return Math.max(LEAST, PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
  }

  /**
   * Waits for a place.
   *
   * @return empty when none was free within the limit
   * @throws InterruptedException when the run is stopped
   */
  public Optional<Place> acquire(Duration limit) throws InterruptedException {
    return places.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)
        ? Optional.of(places::release)
        : Optional.empty();
  }
}
