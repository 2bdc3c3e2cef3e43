/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.clock;

/** Bounds of the heartbeat interval and timeout in workflows and heartbeats, in milliseconds. */
public final class HeartbeatBounds {
  /**
   * Consumers do not resolve shorter intervals: a faster heartbeat adds load without information.
   */
  public static final long MIN_INTERVAL_MS = 200;

  /** With a timeout under three intervals, one late heartbeat would start a failover. */
  public static final long MIN_TIMEOUT_MS = 3 * MIN_INTERVAL_MS;

  private HeartbeatBounds() {}
}
