/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.boundary;

import java.time.Duration;

/**
 * Bounds on the waits for boundaries.
 *
 * @param patience how long other conversations and calls may keep a boundary away before requests
 *     wait for it
 * @param maxWait how long a request waits then, before the boundary counts as unreachable
 * @param maxCapture how long a capture may take before answers continue without it
 */
public record BoundaryPolicy(Duration patience, Duration maxWait, Duration maxCapture) {
  public static final BoundaryPolicy STANDARD =
      new BoundaryPolicy(Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofMinutes(5));
}
