/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Implements an {@code fn} step: a CDI bean of a custom runner with {@code @Named}, the name being
 * the step's {@code fn}. Called on a virtual thread that is interrupted when the step times out or
 * the run is stopped. May be called again for the same visit after a failure or a failover, with
 * the same {@link StepContext#idempotencyKey}.
 */
@FunctionalInterface
public interface StepFunction {
  /**
   * @param arguments the step's {@code args}, evaluated
   * @return the step's output
   * @throws Exception when the attempt fails; its message is recorded in the trace
   */
  JsonNode call(JsonNode arguments, StepContext context) throws Exception;
}
