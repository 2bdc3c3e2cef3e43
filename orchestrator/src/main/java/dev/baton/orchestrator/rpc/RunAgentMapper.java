/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.rpc;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.RunAgentView;
import dev.baton.protocol.grpc.RunAgent;
import dev.baton.protocol.trace.ModelBudget;
import dev.baton.protocol.trace.RepeatedCall;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Maps what concerns the agents of a run to and from messages. */
final class RunAgentMapper {
  private RunAgentMapper() {}

  static RunAgent message(RunAgentView view) {
    RunAgent.Builder agent =
        RunAgent.newBuilder()
            .setStep(view.step())
            .setTurns(view.turns())
            .setTokens(view.tokens())
            .setKnownCost(view.knownCost().toPlainString())
            .setUnknownCosts(view.unknownCosts())
            .setDiverged(view.diverged())
            .setOwnLogin(view.ownLogin())
            .setRepeatedCount(view.repeatedCount());
    view.repeatedCalls().forEach(call -> agent.addRepeatedCalls(message(call)));
    if (view.use() != null) {
      agent.setUse(view.use());
    }
    if (view.session() != null) {
      agent.setSession(view.session());
    }
    if (view.degraded() != null) {
      agent.setDegraded(view.degraded());
    }
    if (view.cost() != null) {
      agent.setCost(view.cost().toPlainString());
    }
    return agent.build();
  }

  private static dev.baton.protocol.grpc.RepeatedCall message(RepeatedCall call) {
    dev.baton.protocol.grpc.RepeatedCall.Builder message =
        dev.baton.protocol.grpc.RepeatedCall.newBuilder().setId(call.id());
    if (call.tool() != null) {
      message.setTool(call.tool());
    }
    if (call.input() != null) {
      message.setInput(call.input());
    }
    if (call.outcome() != null) {
      message.setOutcome(call.outcome());
    }
    return message.build();
  }

  /**
   * @throws ProblemException when the cost is not a number
   */
  static ModelBudget budget(dev.baton.protocol.grpc.ModelBudget message) {
    return new ModelBudget(
        cost(message.getCost()),
        message.getTokens() == 0 ? null : (Long) message.getTokens(),
        message.getTurns() == 0 ? null : (Long) message.getTurns());
  }

  private static @Nullable BigDecimal cost(String text) {
    try {
      return text.isEmpty() ? null : new BigDecimal(text);
    } catch (NumberFormatException e) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "budget.cost '" + text + "' is not a number; allowed: US dollars above 0");
    }
  }
}
