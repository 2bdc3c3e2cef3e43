/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Expression;
import java.util.Optional;

/**
 * A way on from a step.
 *
 * @param on the outcome it is for
 * @param when taken if this is true; always where there is none
 * @param to a step of the same list, or {@link #END}
 */
public record StepTransition(On on, Optional<Expression> when, String to) {
  /** The end of the list: of the run, or of the branch. */
  public static final String END = "end";

  /** Which outcomes of a step an arm is for. A skipped step counts as one that succeeded. */
  public enum On {
    SUCCESS,
    FAILURE,
    ANY;

    boolean includes(StepOutcome outcome) {
      return switch (this) {
        case ANY -> true;
        case SUCCESS -> outcome != StepOutcome.FAILURE;
        case FAILURE -> outcome == StepOutcome.FAILURE;
      };
    }
  }
}
