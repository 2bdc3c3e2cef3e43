/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A point in time on this process's monotonic clock after which work must end. Immutable. */
public final class Deadline {
  /** Never passes. */
  public static final Deadline NONE = new Deadline(Long.MAX_VALUE, false);

  private static final Duration FOREVER = Duration.ofDays(36_500);

  private final long nanos;
  private final boolean set;

  private Deadline(long nanos, boolean set) {
    this.nanos = nanos;
    this.set = set;
  }

  public static Deadline after(Duration duration) {
    return new Deadline(System.nanoTime() + clamp(duration), true);
  }

  /** Converts a point of wall-clock time by its distance from now. */
  public static Deadline at(Instant instant) {
    return after(Duration.between(Instant.now(), instant));
  }

  public Deadline earlier(Deadline other) {
    if (!set || !other.set) {
      return set ? this : other;
    }
    return nanos - other.nanos <= 0 ? this : other;
  }

  public boolean isPast() {
    return set && System.nanoTime() - nanos >= 0;
  }

  /** Returns the remaining time; null for never; not negative. */
  public @Nullable Duration left() {
    return set ? Duration.ofNanos(Math.max(0, nanos - System.nanoTime())) : null;
  }

  /** Returns {@link #left()}, limited to this time. */
  public Duration leftAtMost(Duration most) {
    Duration left = left();
    return left == null || left.compareTo(most) > 0 ? most : left;
  }

  /** Returns {@link #left()}, or a hundred years for never: for waits that need a limit. */
  public Duration leftOrForever() {
    return leftAtMost(FOREVER);
  }

  private static long clamp(Duration duration) {
    // A duration of more than 292 years in either direction overflows nanoseconds.
    return duration.isNegative()
        ? 0
        : (duration.compareTo(FOREVER) > 0 ? FOREVER : duration).toNanos();
  }
}
