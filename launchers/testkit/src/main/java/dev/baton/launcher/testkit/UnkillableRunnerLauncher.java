/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.testkit;

import dev.baton.launcher.KillRequest;
import dev.baton.launcher.RunnerLauncher;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Never kills the runs that a test has chosen: a process that survives SIGKILL cannot be started
 * without special rights. A kill of a chosen run takes its whole patience, as that of a process in
 * an uninterruptible system call does, or until the run is made killable. Thread-safe.
 */
public final class UnkillableRunnerLauncher extends ForwardingRunnerLauncher {
  /** By run; counted down when the run becomes killable. */
  private final Map<String, CountDownLatch> unkillable = new ConcurrentHashMap<>();

  public UnkillableRunnerLauncher(RunnerLauncher delegate) {
    super(delegate);
  }

  public void makeUnkillable(String run) {
    unkillable.putIfAbsent(run, new CountDownLatch(1));
  }

  /** Ends the kills of the run that wait; they kill it then. */
  public void makeKillable(String run) {
    CountDownLatch latch = unkillable.remove(run);
    if (latch != null) {
      latch.countDown();
    }
  }

  @Override
  public Set<String> kill(KillRequest request, Consumer<String> killed) {
    long end = System.nanoTime() + request.patience().toNanos();
    Map<String, Integer> others = new HashMap<>(request.below());
    others.keySet().removeAll(unkillable.keySet());
    Map<String, CountDownLatch> stuck = new HashMap<>(unkillable);
    stuck.keySet().retainAll(request.below().keySet());
    Set<String> left = new HashSet<>(super.kill(only(request, others), killed));
    for (Map.Entry<String, CountDownLatch> run : stuck.entrySet()) {
      if (isFreedBefore(end, run.getValue())) {
        Map<String, Integer> freed = Map.of(run.getKey(), below(request, run.getKey()));
        left.addAll(super.kill(only(request, freed), killed));
      } else {
        left.add(run.getKey());
      }
    }
    return left;
  }

  private static int below(KillRequest request, String run) {
    return request.below().getOrDefault(run, 0);
  }

  private static boolean isFreedBefore(long end, CountDownLatch latch) {
    try {
      return latch.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static KillRequest only(KillRequest request, Map<String, Integer> runs) {
    Map<String, List<String>> former = new HashMap<>(request.former());
    former.keySet().retainAll(runs.keySet());
    return new KillRequest(runs, former, request.patience());
  }
}
