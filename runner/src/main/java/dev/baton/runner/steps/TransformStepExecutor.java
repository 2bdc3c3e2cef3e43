/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import dev.baton.protocol.workflow.StepKind;

/** Evaluates the jq expression of a transform step. */
final class TransformStepExecutor implements StepExecutor<StepKind.Transform> {
  @Override
  public StepResult execute(StepKind.Transform kind, StepContext context) {
    return StepResult.done(kind.expression().evaluate(context.scope()));
  }
}
