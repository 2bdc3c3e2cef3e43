/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.lease;

/** Asks the orchestrator whether a run is still its runner's. */
public interface LeaseConfirmer {
  /**
   * Returns at once. An answer may never come: it is asked again with every heartbeat.
   *
   * @param suspension which one, of this run in this process
   */
  void ask(String run, int epoch, long suspension);
}
