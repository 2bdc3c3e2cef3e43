/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.protocol.retry.Backoff;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limits the starts in one place whose launcher has refused one. After a refusal nothing is started
 * for an increasing delay, then one start is tried; each success doubles how many may be under way.
 * So a used-up quota costs few calls, however many runs wait for it. Not thread-safe.
 */
final class PlaceBackoff {
  private static final Duration FIRST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofSeconds(30);

  /** As many starts under way as this prove that the place has room again. */
  private static final int OPEN = 64;

  private final LongSupplier nanos;
  private final Backoff delays;
  private LaunchRefusal refusal;
  private long dueNanos;
  private int allowed = 1;
  private int underWay;

  /** Begins with the first refusal. */
  PlaceBackoff(LaunchRefusal refusal, Backoff delays, LongSupplier nanos) {
    this.refusal = refusal;
    this.delays = delays;
    this.nanos = nanos;
    postpone();
  }

  static PlaceBackoff of(LaunchRefusal refusal) {
    return new PlaceBackoff(refusal, Backoff.exponential(FIRST, LONGEST), System::nanoTime);
  }

  private void postpone() {
    dueNanos = nanos.getAsLong() + delays.next().toNanos();
  }

  /** The last one. */
  LaunchRefusal refusal() {
    return refusal;
  }

  /** Returns the delay until the next start may be tried; zero when it may be now. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, dueNanos - nanos.getAsLong()));
  }

  /** Returns how many starts may be tried now. */
  int free() {
    return left().isZero() ? Math.max(0, allowed - underWay) : 0;
  }

  void tried() {
    underWay++;
  }

  /** A start that was tried has ended, without a result if neither of the next two follows. */
  void ended() {
    underWay--;
  }

  void succeeded() {
    delays.reset();
    allowed = Math.min(OPEN, 2 * allowed);
  }

  /**
   * @param tried whether it was tried under this backoff; one that began before changes no delay
   */
  void refused(LaunchRefusal now, boolean tried) {
    refusal = now;
    if (tried) {
      allowed = 1;
      postpone();
    }
  }

  /** A runner of the place has ended: the next start may be tried at once. */
  void roomFreed() {
    dueNanos = nanos.getAsLong();
  }

  /** Whether no start has succeeded since the last refusal. */
  boolean isRefusing() {
    return allowed == 1;
  }

  /** Whether the place needs no limit any more. */
  boolean isOver() {
    return allowed >= OPEN;
  }
}
