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
 * Decides which outputs stay within the messages, by how large the run's state has grown, and which
 * step would let it grow beyond what can be resumed. Every runner of the run decides the same: it
 * measures what the fold has. Thread-safe.
 *
 * <p>Up to 64 KiB an output stays within its message while all of the run together take no more
 * than 1 MiB; then up to 1 KiB, while they take no more than 4 MiB; then up to what a reference
 * takes itself.
 */
final class StateLimiter {
  /** Below it the store need not be asked for its bound, which is never less. */
  private static final long FREE = 512 << 10;

  /** What the store makes a snapshot of where it does not say. */
  private static final long UNTOLD = 32L << 20;

  private static final long AGAIN_NANOS = Duration.ofMinutes(1).toNanos();

  private static final long FIRST = 1L << 20;
  private static final long SECOND = 4L << 20;
  private static final int SECOND_LIMIT = 1 << 10;

  /** Asks the store; empty where it does not say. */
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

  /** An event of this epoch has its place in the trace. */
  synchronized void sent(TraceEvent.Runner event) {
    size.add(event);
  }

  /** The bytes of JSON up to which an output stays within its message, as of now. */
  synchronized int inlineLimit() {
    if (size.inlineBytes() <= FIRST - Output.INLINE_LIMIT) {
      return Output.INLINE_LIMIT;
    }
    return size.inlineBytes() <= SECOND ? SECOND_LIMIT : StateSizeTracker.REFERENCE;
  }

  /** Of the state as it is now, in bytes of JSON. */
  synchronized long bytes() {
    return size.bytes();
  }

  /**
   * How much too large the state would be; zero or less where it can be resumed.
   *
   * @param more bytes of JSON that are added
   */
  long excess(long more) throws InterruptedException {
    long then = bytes() + more;
    return then <= FREE ? 0 : then - most();
  }

  /** The largest state that a step may leave: an eighth of the store's bound is for what comes. */
  long most() throws InterruptedException {
    long known = most;
    if (known == 0 && System.nanoTime() - asked > AGAIN_NANOS) {
      // Whoever comes next meanwhile does not ask, too: a store that is away is waited for.
      asked = System.nanoTime();
      known = bound.ask().orElse(0);
      most = known;
    }
    return (known == 0 ? UNTOLD : known) / 8 * 7;
  }
}
