/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.agent.InterruptedCallRules;
import dev.baton.agent.ToolRules;
import dev.baton.protocol.workflow.InterruptedCalls;
import dev.baton.protocol.workflow.StepKind;

/** Maps the rules for tools of a definition to those of agents. */
final class ToolRulesMapper {
  private ToolRulesMapper() {}

  static ToolRules rules(StepKind.Agent kind) {
    InterruptedCalls interrupted = kind.interrupted();
    return new ToolRules(
        kind.allow(),
        kind.ask().patterns(),
        kind.deny(),
        new InterruptedCallRules(interrupted.rerun(), interrupted.ask(), interrupted.tell()));
  }
}
