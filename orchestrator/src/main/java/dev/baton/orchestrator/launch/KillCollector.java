/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reports a run as killed when every launcher has killed what it had of it. Thread-safe. */
final class KillCollector {
  private final Map<String, Integer> missing = new HashMap<>();
  private final Consumer<String> killed;
  private @Nullable Throwable failure;

  /**
   * @param launchers how many report each run; with 0 all runs are reported at once
   */
  KillCollector(Collection<String> runs, int launchers, Consumer<String> killed) {
    this.killed = killed;
    if (launchers == 0) {
      runs.forEach(killed);
    } else {
      runs.forEach(run -> missing.put(run, launchers));
    }
  }

  void killed(String run) {
    boolean last;
    synchronized (this) {
      last = missing.containsKey(run) && missing.merge(run, -1, Integer::sum) == 0;
      if (last) {
        missing.remove(run);
      }
    }
    if (last) {
      killed.accept(run);
    }
  }

  synchronized void failed(Throwable e) {
    failure = e;
  }

  /**
   * Returns the runs that some launcher has not reported.
   *
   * @throws IllegalStateException when a launcher has failed
   */
  synchronized Set<String> left() {
    if (failure != null) {
      throw new IllegalStateException("a launcher cannot kill: " + failure, failure);
    }
    return Set.copyOf(missing.keySet());
  }
}
