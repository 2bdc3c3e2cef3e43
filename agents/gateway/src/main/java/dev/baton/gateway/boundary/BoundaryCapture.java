/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.boundary;

import java.io.IOException;

/** Captures files and agent state at a boundary. */
public interface BoundaryCapture {
  /**
   * Captures, and returns when the log has acknowledged the checkpoint. No answer reaches the agent
   * and no answer is journaled during the capture. Called by one thread at a time for a session.
   * After an interrupt it must not append a checkpoint: the agent has continued.
   *
   * @throws IOException when nothing could be captured: the step continues, and a resume starts at
   *     an older boundary
   */
  void capture(BoundaryPoint point) throws IOException, InterruptedException;
}
