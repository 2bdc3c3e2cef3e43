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

/**
 * Checks every second that the threads on which all runs of the process depend are alive. An
 * out-of-memory error hits the thread that allocates next: in a step it is contained, but a
 * producer without its network thread accepts events and never sends them.
 */
final class VitalThreadWatcher implements AutoCloseable {
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Thread watch;

  private VitalThreadWatcher(Thread watch) {
    this.watch = watch;
  }

  /**
   * Starts to watch the threads that are alive now and have this name.
   *
   * @param died called once, when one of them has died
   */
  static VitalThreadWatcher start(String name, Runnable died) {
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
                    while (vital.stream().allMatch(Thread::isAlive)) {
                      TimeUnit.NANOSECONDS.sleep(LOOK.toNanos());
                    }
                    died.run();
                  } catch (InterruptedException closed) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }

  @Override
  public void close() {
    watch.interrupt();
  }
}
