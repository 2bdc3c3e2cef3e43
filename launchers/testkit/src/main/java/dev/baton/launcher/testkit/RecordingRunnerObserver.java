/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.testkit;

import dev.baton.launcher.RunnerExit;
import dev.baton.launcher.RunnerObserver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Records exits, after rejecting as many deliveries of each as a test requires. Thread-safe. */
public final class RecordingRunnerObserver implements RunnerObserver {
  private final int rejections;
  private final Map<String, AtomicInteger> deliveries = new ConcurrentHashMap<>();
  private final List<RunnerExit> exits = new CopyOnWriteArrayList<>();

  /**
   * @param rejections how often each exit is rejected by an exception
   */
  public RecordingRunnerObserver(int rejections) {
    this.rejections = rejections;
  }

  @Override
  public void ended(RunnerExit exit) {
    int delivery =
        deliveries.computeIfAbsent(exit.runner(), r -> new AtomicInteger()).incrementAndGet();
    if (delivery <= rejections) {
      throw new IllegalStateException("delivery " + delivery + " is rejected by the test");
    }
    exits.add(exit);
  }

  /** Returns the accepted exits of the runner, the first one first. */
  public List<RunnerExit> exits(String runner) {
    return exits.stream().filter(exit -> exit.runner().equals(runner)).toList();
  }

  /** Returns the number of runners with an accepted exit. */
  public long ended() {
    return exits.stream().map(RunnerExit::runner).distinct().count();
  }
}
