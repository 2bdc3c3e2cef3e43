/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import dev.baton.protocol.workflow.StepKind;

/** Fails every agent step: this runner does not support agents. */
final class AgentStepExecutor implements StepExecutor<StepKind.Agent> {
  @Override
  public StepResult execute(StepKind.Agent kind, StepContext context) {
    return StepResult.failedForGood("unsupported", "agent steps are not available in this version");
  }
}
