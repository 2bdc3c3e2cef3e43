/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Numbers the milestones of a run in the order in which their steps complete, across all branches.
 * Thread-safe.
 */
final class MilestoneSequencer {
  /** Not a monitor: a thread that waits for this lock can be interrupted. */
  private final ReentrantLock one = new ReentrantLock();

  private int next;

  /** The newest number of each step, by its path. */
  private final Map<String, Integer> numbers;

  /**
   * @param next the next number, from the run's state
   * @param numbers the newest number of each step, by its path
   */
  MilestoneSequencer(int next, Map<String, Integer> numbers) {
    this.next = next;
    this.numbers = new ConcurrentHashMap<>(numbers);
  }

  /**
   * Returns the newest number that the files of a branch have; -1 for none. They do not have those
   * of branches beside it or beside one around it, which work on other copies of the files.
   */
  int newestOn(String branch) {
    return numbers.entrySet().stream()
        .filter(made -> !isBeside(made.getKey(), branch))
        .mapToInt(Map.Entry::getValue)
        .max()
        .orElse(-1);
  }

  /** Whether step and branch are in different branches of the same parallel step. */
  private static boolean isBeside(String step, String branch) {
    String[] one = step.split("/");
    String[] other = branch.split("/");
    int i = 0;
    while (i < Math.min(one.length, other.length) && one[i].equals(other[i])) {
      i++;
    }
    // A path alternates between a step and the name of a branch of it.
    return i % 2 == 1 && i < one.length && i < other.length;
  }

  /** The only milestone in progress, until it is closed. */
  final class Turn implements AutoCloseable {
    int index() {
      return next;
    }

    /** Records that the milestone is on the trace, as the fold does. */
    void made(String step, int index) {
      next = index + 1;
      numbers.values().removeIf(number -> number >= index);
      numbers.put(step, index);
    }

    @Override
    public void close() {
      one.unlock();
    }
  }

  Turn begin() throws InterruptedException {
    one.lockInterruptibly();
    return new Turn();
  }
}
