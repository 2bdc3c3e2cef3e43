/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.posix.StatBuffer;

/**
 * Whether times can be trusted to show the next change.
 *
 * <p>The kernel stamps changes with a clock that ticks every few milliseconds. What was changed
 * within 50 ms before it was read may be changed again in the same tick, which leaves the same
 * times behind: such a reading is good for this capture, and is not relied on by the next. So a
 * file on a network file system whose clock is ahead is merely read again.
 */
public final class TimestampTrustPolicy {
  private static final long TICK_MILLIS = 50;

  private TimestampTrustPolicy() {}

  /**
   * Whether this was last changed well before the reading began.
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
