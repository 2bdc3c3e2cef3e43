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
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Checks every second the threads on which all runs of the process depend. An out-of-memory error
 * hits the thread that allocates next: in a step it is contained, but a producer without its
 * network thread accepts events and never sends them. When other threads hang, the connection to
 * the orchestrator still answers, so that the process gets more runs.
 */
final class VitalThreadWatcher implements AutoCloseable {
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** Counted in looks, so that the time in which the whole process is stopped does not count. */
  static final int STALLED_LOOKS = 30;

  /**
   * Threads that do not continue.
   *
   * @param what names them
   * @param isStalled whether they have done nothing since the last call
   */
  record StallCheck(String what, BooleanSupplier isStalled) {}

  private final List<Thread> vital;
  private final Runnable died;
  private final List<StallCheck> checks;
  private final Consumer<String> stalled;
  private final Duration look;
  private final Thread watch;

  private VitalThreadWatcher(
      List<Thread> vital,
      Runnable died,
      List<StallCheck> checks,
      Consumer<String> stalled,
      Duration look) {
    this.vital = vital;
    this.died = died;
    this.checks = checks;
    this.stalled = stalled;
    this.look = look;
    watch = Thread.ofPlatform().daemon().name("vital-threads").unstarted(this::watch);
  }

  /**
   * Starts to watch the threads that are alive now and have this name, and what may stall.
   *
   * @param died called once, when one of the threads has died
   * @param checks called at each look
   * @param stalled called once, with what has stalled in {@link #STALLED_LOOKS} consecutive looks
   */
  static VitalThreadWatcher start(
      String name, Runnable died, List<StallCheck> checks, Consumer<String> stalled) {
    return start(name, died, checks, stalled, LOOK);
  }

  static VitalThreadWatcher start(
      String name,
      Runnable died,
      List<StallCheck> checks,
      Consumer<String> stalled,
      Duration look) {
    List<Thread> vital =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals(name))
            .toList();
    VitalThreadWatcher watcher = new VitalThreadWatcher(vital, died, checks, stalled, look);
    watcher.watch.start();
    return watcher;
  }

  private void watch() {
    int[] looks = new int[checks.size()];
    try {
      while (vital.stream().allMatch(Thread::isAlive)) {
        for (int i = 0; i < looks.length; i++) {
          looks[i] = checks.get(i).isStalled().getAsBoolean() ? looks[i] + 1 : 0;
          if (looks[i] == STALLED_LOOKS) {
            stalled.accept(checks.get(i).what());
            return;
          }
        }
        TimeUnit.NANOSECONDS.sleep(look.toNanos());
      }
      died.run();
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    watch.interrupt();
  }
}
