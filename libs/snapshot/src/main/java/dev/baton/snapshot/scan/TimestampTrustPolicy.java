/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.posix.StatBuffer;

/**
 * Decides whether the times of a file will reveal its next change.
 *
 * <p>The kernel timestamps changes with a clock that ticks every few milliseconds. A file that was
 * changed less than 50 ms before it was read may change again in the same tick, with the same
 * times. Such a read is valid for this capture, but the next capture does not rely on it. For a
 * file on a network file system whose clock is ahead, the only effect is a repeated read.
 */
public final class TimestampTrustPolicy {
  private static final long TICK_MILLIS = 50;

  private TimestampTrustPolicy() {}

  /**
   * Returns whether the last change was long enough before the read began.
   *
   * @param began milliseconds since 1970, taken before the first byte was read
   */
  public static boolean before(StatBuffer stat, long began) {
    return before(stat.ctimeSeconds, stat.ctimeNanos, began);
  }

  static boolean before(long seconds, int nanos, long began) {
    long rest = began - TICK_MILLIS;
    long beganSeconds = Math.floorDiv(rest, 1000L);
    return seconds < beganSeconds
        || (seconds == beganSeconds && nanos < Math.floorMod(rest, 1000L) * 1_000_000);
  }
}
