/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.protocol.workflow.IsolationMode;
import dev.baton.protocol.workflow.RunnerSelector;
import dev.baton.protocol.workflow.Workflow;

/**
 * What a run demands of its runner.
 *
 * @param sharesPrograms whether a shared runner is to execute shell steps
 */
record RunnerDemand(RunnerSelector selector, IsolationMode isolation, boolean sharesPrograms) {
  static final RunnerDemand ANY =
      new RunnerDemand(RunnerSelector.ANY, IsolationMode.ISOLATED, false);

  static RunnerDemand of(Workflow workflow) {
    return new RunnerDemand(workflow.selector(), workflow.isolation(), workflow.sharesPrograms());
  }
}
