/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.manifest.Manifest;
import java.util.List;
import java.util.Map;

/**
 * What a checkpoint states of an agent beside its files.
 *
 * @param metrics without the number of changed files
 * @param contributors parts of the state that can fail on their own, by name
 * @param processes that run in the background
 */
public record AgentDetails(
    Manifest.Conversation conversation,
    Manifest.Metrics metrics,
    Map<String, Manifest.Contribution> contributors,
    List<Manifest.BackgroundProcess> processes) {
  public AgentDetails {
    contributors = Map.copyOf(contributors);
    processes = List.copyOf(processes);
  }
}
