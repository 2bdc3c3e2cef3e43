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
 * The states of runs with long logs as they were last folded, so that the next question about one
 * folds only what has come since. Bounded: those that were asked for longest ago go first.
 * Thread-safe.
 */
@ApplicationScoped
class FoldedStateCache {
  /** A fold of fewer events than this is done again as quickly. */
  static final int WORTH = 500;

  /** Of one state and of all, in bytes of JSON. In memory they take a few times as much. */
  private static final long MOST_OF_ONE = 4 << 20;

  private static final long MOST = 8 << 20;

  /**
   * @param position of the last event that is in it
   * @param bytes as JSON
   * @param returns the resumes that went back to an earlier step, as the log had them. With another
   *     one what was folded before may be needed, which is not kept
   */
  record Kept(RunState state, long position, long bytes, Set<String> returns) {}

  private final Map<String, Kept> byRun = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /**
   * @param upTo the position of the last event that may be in it
   * @param returns those of the log as it is now
   */
  synchronized Optional<Kept> find(String run, long upTo, Set<String> returns) {
    return Optional.ofNullable(byRun.get(run))
        .filter(kept -> kept.position() <= upTo && kept.returns().equals(returns));
  }

  synchronized void keep(Kept newest) {
    String run = newest.state().run();
    // A state with a gap may yet be mended by an event that becomes visible late.
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
