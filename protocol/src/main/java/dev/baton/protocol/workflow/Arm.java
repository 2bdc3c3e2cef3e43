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
 * @param when taken if this is true; always where there is none
 * @param to a step of the same list, or {@link #END}
 */
public record Arm(Optional<Expression> when, String to) {
  /** The end of the list: of the run, or of the branch. */
  public static final String END = "end";
}
