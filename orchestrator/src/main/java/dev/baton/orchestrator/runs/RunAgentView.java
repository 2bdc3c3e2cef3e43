/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.protocol.state.AgentTotals;
import dev.baton.protocol.trace.ModelUsage;
import dev.baton.protocol.trace.RepeatedCall;
import java.math.BigDecimal;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a run.
 *
 * @param step of the newest session
 * @param use as in the workflow; null before the first session
 * @param session the agent's own id of its newest session; null before the first
 * @param turns number of answers, those that broke off included
 * @param tokens in and out, those of caches included
 * @param cost in US dollars; null where the cost of at least one answer is unknown
 * @param knownCost in US dollars, of the answers whose cost is known
 * @param unknownCosts number of answers whose cost is unknown
 * @param diverged number of calls that differ from the journaled ones after a resume
 * @param degraded why a session was lost, so that its agent continued in a new one; the newest
 *     reason, null where none was
 * @param ownLogin whether an agent has reported its answers itself: they may be paid twice
 * @param repeatedCalls the newest calls that resumed agents with their own login may have made
 *     again; at most 100
 * @param repeatedCount number of all such calls
 */
@Schema(name = "RunAgent")
public record RunAgentView(
    String step,
    @Nullable String use,
    @Nullable String session,
    long turns,
    long tokens,
    ModelUsage usage,
    @Nullable BigDecimal cost,
    BigDecimal knownCost,
    long unknownCosts,
    long diverged,
    @Nullable String degraded,
    boolean ownLogin,
    List<RepeatedCall> repeatedCalls,
    long repeatedCount) {
  public RunAgentView {
    repeatedCalls = List.copyOf(repeatedCalls);
  }

  static @Nullable RunAgentView of(@Nullable AgentTotals totals) {
    return totals == null
        ? null
        : new RunAgentView(
            totals.step(),
            totals.agent(),
            totals.session(),
            totals.spend().turns(),
            totals.spend().usage().total(),
            totals.spend().usage(),
            totals.spend().cost().orElse(null),
            totals.spend().knownCost(),
            totals.spend().unknown(),
            totals.diverged(),
            totals.degraded(),
            totals.ownLogin(),
            totals.repeated(),
            totals.repeatedCount());
  }
}
