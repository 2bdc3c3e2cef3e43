/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.baton.protocol.trace.ModelUsage;
import dev.baton.protocol.trace.TraceEvent.ModelAnswered;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * What answers of models have cost. It only grows: neither a failover nor a return to an earlier
 * state of the run takes it back.
 *
 * @param turns number of answers, those that broke off included
 * @param usage tokens, as far as the answers reported them
 * @param knownCost in US dollars, of the answers whose cost is known
 * @param unknown number of answers whose cost is unknown
 */
public record AgentSpend(long turns, ModelUsage usage, BigDecimal knownCost, long unknown) {
  public static final AgentSpend NONE = new AgentSpend(0, ModelUsage.NONE, BigDecimal.ZERO, 0);

  /** Adds an answer. */
  AgentSpend plus(ModelAnswered answer) {
    return new AgentSpend(
        turns + 1,
        answer.usage() == null ? usage : usage.plus(answer.usage()),
        answer.cost() == null ? knownCost : knownCost.add(answer.cost()),
        answer.cost() == null ? unknown + 1 : unknown);
  }

  /** Returns the cost in US dollars; empty where that of at least one answer is unknown. */
  @JsonIgnore
  public Optional<BigDecimal> cost() {
    return unknown == 0 ? Optional.of(knownCost) : Optional.empty();
  }
}
