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
 * What a step has to have achieved when its list is at its end. A step that did not run in this
 * list is not asked.
 *
 * @param when must be true then, besides that the step's last visit did not fail
 * @param to the step of the same list with which the run goes on where it is not satisfied; without
 *     one, the list fails then
 */
public record StepGate(Optional<Expression> when, Optional<String> to) {}
