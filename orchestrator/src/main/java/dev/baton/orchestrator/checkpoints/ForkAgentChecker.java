/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepPath;
import dev.baton.protocol.trace.AgentChange;
import dev.baton.protocol.workflow.InterruptedCalls;
import dev.baton.protocol.workflow.Step;
import dev.baton.protocol.workflow.StepKind;
import dev.baton.protocol.workflow.ToolQuestions;
import dev.baton.protocol.workflow.Workflow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks what a request for a fork changes about the agent that continues in it. */
final class ForkAgentChecker {
  /** Characters of a model's name. */
  private static final int MAX_MODEL = 200;

  private static final List<String> USES =
      StepKind.Agent.USES.stream()
          .filter(use -> !StepKind.Agent.USES_WITH_COMMAND.contains(use))
          .toList();

  private ForkAgentChecker() {}

  /**
   * Returns what the request changes; null for nothing.
   *
   * @throws ProblemException BAD_PARAMETER with the field and what is allowed
   */
  static @Nullable AgentChange change(ForkRequest request) {
    String prompt = request.prompt();
    String model = request.model();
    String use = request.use();
    if (prompt == null && model == null && use == null) {
      return null;
    }
    String field = prompt != null ? "prompt" : model != null ? "model" : "use";
    if (request.checkpoint() == null || Boolean.TRUE.equals(request.filesOnly())) {
      throw bad(
          field,
          "'%s' needs the checkpoint of an agent's turn".formatted(field),
          "with 'checkpoint', without 'step' and 'files_only'");
    }
    if (prompt != null && (prompt.isBlank() || prompt.length() > AgentChange.MAX_PROMPT)) {
      throw bad(
          "prompt",
          "'prompt' has %d characters%s"
              .formatted(prompt.length(), prompt.isBlank() ? ", all of them blank" : ""),
          "1 to " + AgentChange.MAX_PROMPT + " characters");
    }
    if (model != null && (model.isBlank() || model.length() > MAX_MODEL)) {
      throw bad(
          "model",
          "'model' has %d characters%s"
              .formatted(model.length(), model.isBlank() ? ", all of them blank" : ""),
          "the name of a model, of 1 to " + MAX_MODEL + " characters");
    }
    if (use != null && !USES.contains(use)) {
      throw bad("use", "'%s' is not an agent for a fork".formatted(use), String.join(", ", USES));
    }
    return new AgentChange(prompt, model, use);
  }

  /**
   * Requires that an agent continues in the fork.
   *
   * @param state the fork's initial state
   * @param step of the checkpoint; empty for one of the whole run
   * @throws ProblemException CONFLICT when the checkpoint is not an agent's turn
   */
  static void requireTurn(RunState state, String step, @Nullable String checkpoint) {
    if (!state.agents().containsKey(step)) {
      String message =
          "checkpoint %s is not the turn of an agent, so that no agent continues there"
              .formatted(checkpoint);
      String allowed = "a checkpoint of the trigger 'turn', or baton replay --turn";
      throw ProblemException.withErrors(
          ProblemKind.CONFLICT,
          message + "; allowed: " + allowed,
          List.of(FieldProblem.at("checkpoint", message, allowed)));
    }
  }

  /**
   * Requires that an agent can do what the step demands of its agent.
   *
   * @param step path of the agent step
   * @param use that of the request
   * @throws ProblemException CONFLICT when the agent would ignore a rule of the step
   */
  static void requireUsable(Workflow workflow, String step, String use) {
    String id = StepPath.idOf(step);
    for (Step each : workflow.allSteps()) {
      if (each.id().equals(id) && each.kind() instanceof StepKind.Agent agent) {
        if (!agent.interrupted().equals(InterruptedCalls.RERUN)
            && !StepKind.Agent.USES_THAT_HOLD_CALLS.contains(use)) {
          throw unusable(
              step,
              "'interrupted', and the agent '%s' cannot be kept from running a call again"
                  .formatted(use),
              StepKind.Agent.USES_THAT_HOLD_CALLS);
        }
        if (!agent.usesGateway() && !StepKind.Agent.USES_WITHOUT_GATEWAY.contains(use)) {
          throw unusable(
              step,
              "'gateway: off', and the agent '%s' cannot run without the gateway".formatted(use),
              StepKind.Agent.USES_WITHOUT_GATEWAY);
        }
        if (!agent.ask().equals(ToolQuestions.NONE)
            && !StepKind.Agent.USES_THAT_ASK.contains(use)) {
          throw unusable(
              step,
              "'tools.ask', and the agent '%s' requests no permission for its tools".formatted(use),
              StepKind.Agent.USES_THAT_ASK);
        }
      }
    }
  }

  private static ProblemException unusable(String step, String what, List<String> uses) {
    String message = "step '%s' has %s".formatted(step, what);
    String allowed =
        String.join(", ", uses.stream().filter(USES::contains).toList())
            + ", or a definition without this rule";
    return ProblemException.withErrors(
        ProblemKind.CONFLICT,
        message + "; allowed: " + allowed,
        List.of(FieldProblem.at("use", message, allowed)));
  }

  private static ProblemException bad(String path, String message, String allowed) {
    return ProblemException.withErrors(
        ProblemKind.BAD_PARAMETER,
        message + "; allowed: " + allowed,
        List.of(FieldProblem.at(path, message, allowed)));
  }
}
