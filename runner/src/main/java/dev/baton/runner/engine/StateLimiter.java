/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StateSizeTracker;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Decides which outputs stay inline in their events, depending on the size of the run's state, and
 * which step would let the state exceed the size that can be resumed. Every runner of the run
 * decides the same, because it measures what the fold has. Thread-safe.
 *
 * <p>An output of up to 64 KiB stays inline while all inline outputs of the run take at most 1 MiB;
 * then up to 1 KiB, while they take at most 4 MiB; then up to the size of a reference.
 */
final class StateLimiter {
  /** Below this size the store's limit is not requested, because it is never lower. */
  private static final long FREE = 512 << 10;

  /** Limit of the store's snapshots if the store does not report it. */
  private static final long UNTOLD = 32L << 20;

  private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

  private static final long FIRST = 1L << 20;
  private static final long SECOND = 4L << 20;
  private static final int SECOND_LIMIT = 1 << 10;

  /** Requests the limit from the store; empty if the store does not report it. */
  interface Bound {
    OptionalLong ask() throws InterruptedException;
  }

  private final StateSizeTracker size;
  private final Bound bound;
  private volatile long most;
  private volatile long asked = System.nanoTime() - 2 * AGAIN_NANOS;

  StateLimiter(RunState before, Bound bound) {
    this.size = StateSizeTracker.of(before);
    this.bound = bound;
  }

  /** Records an event of this epoch that has its place in the trace. */
  synchronized void sent(TraceEvent.Runner event) {
    size.add(event);
  }

  /** Returns the size in bytes of JSON up to which an output currently stays inline. */
  synchronized int inlineLimit() {
    if (size.inlineBytes() <= FIRST - Output.INLINE_LIMIT) {
      return Output.INLINE_LIMIT;
    }
    return size.inlineBytes() <= SECOND ? SECOND_LIMIT : StateSizeTracker.REFERENCE;
  }

  /** Returns the current size of the state in bytes of JSON. */
  synchronized long bytes() {
    return size.bytes();
  }

  /**
   * Returns by how much the state would be too large; zero or less if it can be resumed.
   *
   * @param more bytes of JSON to be added
   */
  long excess(long more) throws InterruptedException {
    long then = bytes() + more;
    return then <= FREE ? 0 : then - most();
  }

  /**
   * Returns the largest state that a step may leave: an eighth of the store's limit is reserved for
   * later events.
   */
  long most() throws InterruptedException {
    long known = most;
    if (known == 0 && System.nanoTime() - asked > AGAIN_NANOS) {
      // Set first, so that concurrent callers do not send the request, too, and wait for an
      // unavailable store.
      asked = System.nanoTime();
      known = bound.ask().orElse(0);
      most = known;
    }
    return (known == 0 ? UNTOLD : known) / 8 * 7;
  }
}
