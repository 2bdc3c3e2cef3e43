/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Runs whose older epochs are to be killed.
 *
 * @param below by run: the lowest epoch that is not killed
 * @param former by run: handles of runners that were launched for, or assigned to, older epochs;
 *     also of runners that have ended, since what they started may live
 * @param patience after which the kill gives up
 */
public record KillRequest(
    Map<String, Integer> below, Map<String, List<String>> former, Duration patience) {
  public KillRequest {
    below = Map.copyOf(below);
    former = Map.copyOf(former);
  }
}
