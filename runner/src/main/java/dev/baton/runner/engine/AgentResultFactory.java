/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.agent.AgentEnd;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.workflow.InputSchema;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.runner.logs.StepLog;
import dev.baton.runner.steps.StepResult;
import java.util.List;

/** Converts the end of an agent to the result of its step. */
record AgentResultFactory(StepLog log) {
  /** The code of a session that the agent cannot resume: the step continues in a new one. */
  static final String REFUSED = "agent_session_refused";

  StepResult.Failed failed(String code, String message) {
    return new StepResult.Failed(Failure.of(code, StepResult.shorten(message)), true, log.tail());
  }

  /** Returns the final text, or its JSON if that fits the schema of the step. */
  StepResult completed(StepKind.Agent kind, AgentEnd end) {
    if (kind.output().isEmpty()) {
      return new StepResult.Done(TextNode.valueOf(end.text()), null, log.tail());
    }
    JsonNode value;
    try {
      value = Json.checkedTree(end.text());
    } catch (JsonProcessingException e) {
      return failed("output_invalid", "the final text is not JSON: " + e.getOriginalMessage());
    }
    List<InputSchema.Violation> wrong = kind.output().get().validate(value);
    return wrong.isEmpty()
        ? new StepResult.Done(value, null, log.tail())
        : failed(
            "output_invalid",
            "the final JSON does not fit its schema: '%s' %s"
                .formatted(wrong.getFirst().pointer(), wrong.getFirst().message()));
  }

  /** Returns the end of a step whose budget is used up. */
  StepResult.Failed budget(String message) {
    return new StepResult.Failed(
        Failure.of("budget", StepResult.shorten(message)), false, log.tail());
  }
}
