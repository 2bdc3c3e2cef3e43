/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import dev.baton.protocol.expression.Expression;
import java.time.Duration;

/** At which boundaries between turns the files and the state of an agent are captured. */
public sealed interface AgentCutRule {
  /** At each boundary. */
  record EachTurn() implements AgentCutRule {}

  /** At none: a new runner starts the step again, with the journaled answers. */
  record Never() implements AgentCutRule {}

  /** At the next boundary after the agent has completed an item of its plan. */
  record PlanItem() implements AgentCutRule {}

  /** At the next boundary after a period since the last capture, or since the agent's start. */
  record Period(Duration period) implements AgentCutRule {}

  /**
   * At the next boundary after an event of the agent that satisfies a condition.
   *
   * @param when over {@code {type, data}}
   */
  record OnEvent(Expression when) implements AgentCutRule {}
}
