/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.state.StepPath;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The agents of a run that are running. Thread-safe. */
final class RunningAgentRegistry {
  private final Map<String, AgentSessionRecorder> byStep = new ConcurrentHashMap<>();

  /**
   * @param step its path
   */
  void add(String step, AgentSessionRecorder agent) {
    byStep.put(step, agent);
  }

  void remove(String step, AgentSessionRecorder agent) {
    byStep.remove(step, agent);
  }

  /** Returns the agent that works on the files of the main line; there is one at most. */
  Optional<AgentSessionRecorder> onMainLine() {
    return byStep.entrySet().stream()
        .filter(entry -> StepPath.branchOf(entry.getKey()).equals(StepPath.MAIN))
        .map(Map.Entry::getValue)
        .findFirst();
  }
}
