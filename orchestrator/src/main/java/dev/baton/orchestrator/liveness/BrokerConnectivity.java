/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import java.util.OptionalLong;

/**
 * What liveness knows about its own connection to the log. Silence means something only while it
 * can hear.
 */
interface BrokerConnectivity {
  /**
   * The end of a partition of the heartbeats as the broker gave it a moment ago; empty when the
   * broker does not answer.
   */
  OptionalLong end(int partition);

  /**
   * When the ends were asked for, in milliseconds on the clock of the topology: what has been sent
   * since then may not have been read yet.
   */
  long asOf();

  /**
   * The offset up to which nothing was left to be read of a partition when it was last asked: what
   * this installation has committed, or where the log begins if that is later; 0 if not known.
   */
  long done(int partition);

  /**
   * Finds how far a partition is read by a reader that has had every heartbeat before {@code read}.
   *
   * @return an offset, at least {@code read}, before which no more committed records are: a log can
   *     end with the markers of transactions and with what was aborted
   */
  long over(int partition, long read);

  /**
   * Since when the broker has answered without a break, in milliseconds on the clock of the
   * topology.
   */
  long unbrokenSince();
}
