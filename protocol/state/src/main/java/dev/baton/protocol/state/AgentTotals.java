/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.trace.ModelUsage;
import dev.baton.protocol.trace.RepeatedCall;
import dev.baton.protocol.trace.TraceEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The agents of a run, for people: the newest session, and what all of them have spent.
 *
 * @param step of the newest session or answer
 * @param agent as in the workflow's {@code use}; null before the first session
 * @param session the agent's own id; null before the first session
 * @param spend of the run
 * @param diverged number of calls that differ from the journaled ones after a resume
 * @param degraded why a session was lost, so that its agent continued in a new one; the newest
 *     reason, null where none was
 * @param ownLogin whether an agent has reported its answers itself: they may be paid twice
 * @param repeated the newest calls that resumed agents with their own login may have made again; at
 *     most {@link RepeatedCall#MAX_LISTED}
 * @param repeatedCount number of all such calls
 */
public record AgentTotals(
    String step,
    @Nullable String agent,
    @Nullable String session,
    AgentSpend spend,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) long diverged,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String degraded,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean ownLogin,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<RepeatedCall> repeated,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) long repeatedCount) {
  public AgentTotals {
    repeated = repeated == null ? List.of() : List.copyOf(repeated);
  }

  private static AgentTotals first(String step) {
    return new AgentTotals(step, null, null, AgentSpend.NONE, 0, null, false, List.of(), 0);
  }

  static AgentTotals after(@Nullable AgentTotals known, TraceEvent.AgentSessionCreated created) {
    if (known != null && created.parent() != null) {
      return known;
    }
    AgentTotals before = known == null ? first(created.step()) : known;
    return new AgentTotals(
        created.step(),
        created.agent(),
        created.session(),
        before.spend,
        before.diverged,
        created.degraded() == null ? before.degraded : created.degraded(),
        before.ownLogin,
        before.repeated,
        before.repeatedCount);
  }

  static AgentTotals after(@Nullable AgentTotals known, TraceEvent.ModelAnswered answer) {
    AgentTotals before = known == null ? first(answer.step()) : known;
    return new AgentTotals(
        before.step,
        before.agent,
        before.session,
        before.spend.plus(answer),
        before.diverged + (answer.diverged() ? 1 : 0),
        before.degraded,
        before.ownLogin || answer.form().equals(ModelUsage.REPORTED),
        before.repeated,
        before.repeatedCount);
  }

  static AgentTotals after(@Nullable AgentTotals known, TraceEvent.CallsRepeated more) {
    AgentTotals before = known == null ? first(more.step()) : known;
    List<RepeatedCall> all = new ArrayList<>(before.repeated);
    all.addAll(more.calls());
    return new AgentTotals(
        before.step,
        before.agent,
        before.session,
        before.spend,
        before.diverged,
        before.degraded,
        true,
        all.subList(Math.max(0, all.size() - RepeatedCall.MAX_LISTED), all.size()),
        before.repeatedCount + more.calls().size() + more.omitted());
  }
}
