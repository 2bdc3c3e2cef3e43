/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.workflow.StepOutcome;
import org.jspecify.annotations.Nullable;

/**
 * How a visit of a step ended; later conditions and gates evaluate it.
 *
 * @param error the cause of a failure; null otherwise
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StepEnd(StepOutcome outcome, @Nullable Failure error) {
  public static final StepEnd SUCCESS = new StepEnd(StepOutcome.SUCCESS, null);
  public static final StepEnd SKIPPED = new StepEnd(StepOutcome.SKIPPED, null);

  public static StepEnd failure(Failure error) {
    return new StepEnd(StepOutcome.FAILURE, error);
  }
}
