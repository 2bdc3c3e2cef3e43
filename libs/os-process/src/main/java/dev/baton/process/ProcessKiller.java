/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Kills processes until a scan finds none: a process may start others before it is killed.
 * Thread-safe; used once.
 */
public final class ProcessKiller {
  private static final long SCAN_AGAIN_MILLIS = 200;
  private static final long FIRST_PAUSE_MILLIS = 1;
  private static final long LONGEST_PAUSE_MILLIS = 50;

  private final Supplier<Set<Long>> scan;
  private final Set<Long> killed = new HashSet<>();

  /**
   * @param scan returns the pids that are to be killed, and never one that was reused
   */
  public ProcessKiller(Supplier<Set<Long>> scan) {
    this.scan = scan;
  }

  /**
   * Kills until no process is found, for at most {@code bound} and one scan. When interrupted, it
   * returns early and keeps the interrupt.
   *
   * @return the pids that were still alive at the end; normally empty
   */
  public synchronized Set<Long> kill(Duration bound) {
    long end = System.nanoTime() + bound.toNanos();
    Set<Long> found = scan.get();
    while (!found.isEmpty() && System.nanoTime() < end) {
      killed.addAll(found);
      found.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
      if (!awaitEnd(found)) {
        return found;
      }
      found = scan.get();
    }
    return found;
  }

  /** Returns how many processes were killed. */
  public synchronized int killed() {
    return killed.size();
  }

  /**
   * Checks only the killed pids, which costs much less than a scan. Returns false when interrupted.
   */
  private static boolean awaitEnd(Set<Long> killed) {
    long millis = FIRST_PAUSE_MILLIS;
    for (long waited = 0; waited < SCAN_AGAIN_MILLIS; waited += millis) {
      millis = Math.min(LONGEST_PAUSE_MILLIS, waited + FIRST_PAUSE_MILLIS);
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
      if (killed.stream().noneMatch(ProcfsProcessReader::isAlive)) {
        return true;
      }
    }
    return true;
  }
}
