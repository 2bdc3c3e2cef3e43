/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.gateway.spend.ModelPriceTable;
import dev.baton.gateway.spend.SpendBudget;
import dev.baton.gateway.spend.SpendLedger;
import dev.baton.gateway.spend.SpendTotal;
import dev.baton.protocol.state.AgentSpend;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.ModelBudget;
import dev.baton.protocol.workflow.AgentBudget;
import java.math.BigDecimal;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the agent steps of a run spend, each with its budget, over all visits, attempts and
 * epochs. Thread-safe.
 */
final class AgentLedgerRegistry {
  private final RunState before;
  private final Map<String, SpendLedger> ledgers = new ConcurrentHashMap<>();
  private final SpendTotal earlier;

  AgentLedgerRegistry(RunState before) {
    this.before = before;
    this.earlier =
        before.head().agents() == null ? SpendTotal.NONE : total(before.head().agents().spend());
  }

  /** Returns the ledger of a step, which contains what earlier epochs have spent. */
  SpendLedger ledger(String step, AgentBudget budget, ModelPriceTable prices) {
    return ledgers.computeIfAbsent(
        step,
        path ->
            new SpendLedger(
                before.run(),
                limits(budget, before.budget()),
                prices,
                Clock.systemUTC(),
                spentBefore(path)));
  }

  private SpendTotal spentBefore(String step) {
    var state = before.agents().get(step);
    return state == null ? SpendTotal.NONE : total(state.spend());
  }

  private static SpendTotal total(AgentSpend spend) {
    return new SpendTotal(
        spend.turns(),
        TokenUsageMapper.fromTrace(spend.usage()),
        spend.knownCost(),
        spend.unknown());
  }

  /** Applies the limits of resume requests to the budgets that the step has. */
  private static SpendBudget limits(AgentBudget step, @Nullable ModelBudget requested) {
    ModelBudget other = requested == null ? ModelBudget.NONE : requested;
    return new SpendBudget(
        step.cost().map(own -> other.cost() == null ? own : other.cost()).orElse(null),
        step.tokens().map(own -> other.tokens() == null ? own : other.tokens()).orElse(null),
        step.turns().map(own -> other.turns() == null ? own : other.turns()).orElse(null),
        null);
  }

  /** The tokens of the run so far, in and out. */
  long tokens() {
    return earlier.usage().total()
        + ledgers.entrySet().stream()
            .mapToLong(
                ledger ->
                    ledger.getValue().total().usage().total()
                        - spentBefore(ledger.getKey()).usage().total())
            .sum();
  }

  /** The known cost of the run so far, in US dollars. */
  double cost() {
    return ledgers.entrySet().stream()
        .map(
            ledger ->
                ledger.getValue().total().cost().subtract(spentBefore(ledger.getKey()).cost()))
        .reduce(earlier.cost(), BigDecimal::add)
        .doubleValue();
  }
}
