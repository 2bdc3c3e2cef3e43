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
 * A transition from a step to another.
 *
 * @param on the outcome it is for
 * @param when condition under which it is taken; always taken where empty
 * @param to a step of the same list, or {@link #END}
 */
public record StepTransition(On on, Optional<Expression> when, String to) {
  /** The end of the list: of the run, or of the branch. */
  public static final String END = "end";

  /** The outcomes that a transition is for. A skipped step counts as successful. */
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
