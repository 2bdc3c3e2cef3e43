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
 * The condition that a step must satisfy when its list is at its end. The gate of a step that did
 * not run in this list is not evaluated.
 *
 * @param when must be true, in addition to the success of the step's last visit
 * @param to the step of the same list at which the run continues if the gate is not satisfied;
 *     without it, the list fails
 */
public record StepGate(Optional<Expression> when, Optional<String> to) {}
