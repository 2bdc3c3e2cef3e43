/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import java.time.Duration;

/** The lease of the runner, as far as the gateway needs it. Implementations are thread-safe. */
public interface LeaseGate {
  /** Whether the runner may act. */
  enum Standing {
    /** The lease is held. */
    HELD,
    /** The lease is not held at present; the runner may still get it back. */
    SUSPENDED,
    /** Another epoch holds the run. */
    FENCED
  }

  /** Waits until the standing is other than suspended, at most for {@code max}. */
  Standing await(Duration max) throws InterruptedException;
}
