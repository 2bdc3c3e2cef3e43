/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.protocol.state.RunState;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Caches folded states of runs with long logs, so that the next query of a run folds only later
 * events. Bounded: evicts the least recently used states. Thread-safe.
 */
@ApplicationScoped
class FoldedStateCache {
  /** Minimum number of folded events for an entry: a shorter fold is as fast as the cache. */
  static final int WORTH = 500;

  /** Maximum JSON bytes of one state and of all. In memory they take a few times as much. */
  private static final long MOST_OF_ONE = 4 << 20;

  private static final long MOST = 8 << 20;

  /**
   * @param position of the last event that is in the state
   * @param bytes as JSON
   * @param returns ids of the resumes from an earlier step that the log had. A new one may need the
   *     state as of an earlier event, which the entry does not contain
   */
  record Kept(RunState state, long position, long bytes, Set<String> returns) {}

  private final Map<String, Kept> byRun = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /**
   * @param upTo the position of the last event that may be in the state
   * @param returns ids of the resumes from an earlier step that the log has now
   */
  synchronized Optional<Kept> find(String run, long upTo, Set<String> returns) {
    return Optional.ofNullable(byRun.get(run))
        .filter(kept -> kept.position() <= upTo && kept.returns().equals(returns));
  }

  synchronized void keep(Kept newest) {
    String run = newest.state().run();
    // An event that becomes visible late may still fill a gap of the state.
    if (newest.bytes() > MOST_OF_ONE || newest.state().head().gap() != null) {
      return;
    }
    Kept before = byRun.get(run);
    if (before != null && before.position() > newest.position()) {
      return;
    }
    forget(run);
    byRun.put(run, newest);
    bytes += newest.bytes();
    Iterator<Kept> oldest = byRun.values().iterator();
    while (bytes > MOST) {
      bytes -= oldest.next().bytes();
      oldest.remove();
    }
  }

  synchronized void forget(String run) {
    @Nullable Kept before = byRun.remove(run);
    bytes -= before == null ? 0 : before.bytes();
  }
}
