/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import dev.baton.process.ProcfsProcessReader;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Detects that virtual threads get no carrier although the carriers do nothing: all of them belong
 * to virtual threads that wait and cannot leave them, such as for the initialization of a class.
 * Carriers that compute are busy, and not stalled. Not thread-safe.
 */
final class CarrierStallDetector {
  /** The names of carriers are {@code ForkJoinPool-N-worker-M}. */
  private static final String CARRIERS = "ForkJoinPool-";

  private final AtomicLong answered = new AtomicLong();
  private long asked;
  private OptionalLong ticks = OptionalLong.empty();

  /**
   * Returns whether no virtual thread has started, and no carrier has used processor time, since
   * the last call. Always false where the system does not report the time of threads.
   */
  boolean isStalled() {
    if (answered.get() == asked) {
      long number = ++asked;
      Thread.ofVirtual().name("carrier-probe").start(() -> answered.set(number));
      return false;
    }
    OptionalLong now = ProcfsProcessReader.threadTicks(CARRIERS);
    boolean idle = now.isPresent() && now.equals(ticks);
    ticks = now;
    return idle;
  }
}
