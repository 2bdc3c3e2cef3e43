/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.lease;

/** Requests confirmation from the orchestrator that a run is still assigned to this runner. */
public interface LeaseConfirmer {
  /**
   * Returns at once. The confirmation may never arrive; the request is repeated with every
   * heartbeat.
   *
   * @param suspension the number of the suspension, of this run in this process
   */
  void ask(String run, int epoch, long suspension);
}
