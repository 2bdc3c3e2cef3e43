/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import dev.baton.protocol.workflow.StepKind;

/** Executes one attempt of a step of one kind. Blocks the calling thread; thread-safe. */
public interface StepExecutor<K extends StepKind> {
  /**
   * @throws InterruptedException when the run is stopped; no process that the attempt started is
   *     left
   * @throws dev.baton.protocol.expression.ExpressionException when an expression of the step fails
   */
  StepResult execute(K kind, StepContext context) throws InterruptedException;
}
