/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.workflow.RunnerSelector;
import java.util.Map;

/**
 * Properties by which runs select an attached runner.
 *
 * @param launcher that started it; empty when it was started externally
 * @param pool of the launcher; empty when it is in none
 */
public record RunnerProperties(String launcher, String pool, Map<String, String> labels) {
  /** Of a runner that was started externally and has no labels. */
  public static final RunnerProperties NONE = new RunnerProperties("", "", Map.of());

  public RunnerProperties {
    labels = Map.copyOf(labels);
  }

  /** Whether a run with this selector may be placed on the runner. */
  public boolean fits(RunnerSelector selector) {
    return selector.isAny() || selector.matches(launcher, pool, labels);
  }

  /** Whether every run that this other runner carries may be placed on the runner. */
  public boolean replaces(RunnerProperties other) {
    return (other.launcher.isEmpty() || launcher.equals(other.launcher))
        && (other.pool.isEmpty() || pool.equals(other.pool))
        && labels.entrySet().containsAll(other.labels.entrySet());
  }
}
