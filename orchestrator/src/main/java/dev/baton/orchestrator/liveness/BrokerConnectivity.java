/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import java.util.OptionalLong;

/**
 * Reports the connection of liveness to the brokers. A missing heartbeat only means silence while
 * liveness can read the log.
 */
interface BrokerConnectivity {
  /**
   * The end offset of a partition of the heartbeats at the last request; empty when the broker does
   * not answer.
   */
  OptionalLong end(int partition);

  /**
   * When the end offsets were requested, in milliseconds on the topology's clock. Later heartbeats
   * may not have been read yet.
   */
  long asOf();

  /**
   * The offset up to which a partition had no unread heartbeats at the last request: the offset
   * that this installation has committed, or the start of the log if that is later; 0 if unknown.
   */
  long done(int partition);

  /**
   * Returns the effective read position of a reader that has read every heartbeat before {@code
   * read}.
   *
   * @return an offset, at least {@code read}, before which no further committed records are: a log
   *     can end with transaction markers and aborted records
   */
  long over(int partition, long read);

  /**
   * Since when the broker has answered without interruption, in milliseconds on the topology's
   * clock.
   */
  long unbrokenSince();
}
