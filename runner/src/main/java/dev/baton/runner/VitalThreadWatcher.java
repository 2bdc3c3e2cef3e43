/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Checks every second the threads on which all runs of the process depend. An out-of-memory error
 * hits the thread that allocates next: in a step it is contained, but a producer without its
 * network thread accepts events and never sends them. A thread that hangs sends no heartbeats,
 * while the connection to the orchestrator continues to answer, so that it gets more runs.
 */
final class VitalThreadWatcher implements AutoCloseable {
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** Counted in looks, so that the time in which the whole process is stopped does not count. */
  private static final int STALLED_LOOKS = 30;

  private final Thread watch;

  private VitalThreadWatcher(Thread watch) {
    this.watch = watch;
  }

  /**
   * Starts to watch the threads that are alive now and have this name, and another thread's work.
   *
   * @param died called once, when one of them has died
   * @param workChanges changes when the other thread begins or ends work that waits for nothing;
   *     odd during work
   * @param stalled called once, when such work does not end
   */
  static VitalThreadWatcher start(
      String name, Runnable died, LongSupplier workChanges, Runnable stalled) {
    return start(name, died, workChanges, stalled, LOOK);
  }

  static VitalThreadWatcher start(
      String name, Runnable died, LongSupplier workChanges, Runnable stalled, Duration look) {
    List<Thread> vital =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals(name))
            .toList();
    return new VitalThreadWatcher(
        Thread.ofPlatform()
            .daemon()
            .name("vital-threads")
            .start(
                () -> {
                  try {
                    watch(vital, died, workChanges, stalled, look);
                  } catch (InterruptedException closed) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }

  private static void watch(
      List<Thread> vital, Runnable died, LongSupplier workChanges, Runnable stalled, Duration look)
      throws InterruptedException {
    long seen = 0;
    int looks = 0;
    while (vital.stream().allMatch(Thread::isAlive)) {
      long now = workChanges.getAsLong();
      looks = now == seen && now % 2 != 0 ? looks + 1 : 0;
      seen = now;
      if (looks == STALLED_LOOKS) {
        stalled.run();
        return;
      }
      TimeUnit.NANOSECONDS.sleep(look.toNanos());
    }
    died.run();
  }

  @Override
  public void close() {
    watch.interrupt();
  }
}
