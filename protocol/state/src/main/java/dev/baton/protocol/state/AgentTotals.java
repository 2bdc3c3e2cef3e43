/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.trace.TraceEvent;
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
 */
public record AgentTotals(
    String step,
    @Nullable String agent,
    @Nullable String session,
    AgentSpend spend,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) long diverged,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String degraded) {

  static AgentTotals after(@Nullable AgentTotals before, TraceEvent.AgentSessionCreated created) {
    if (before != null && created.parent() != null) {
      return before;
    }
    return new AgentTotals(
        created.step(),
        created.agent(),
        created.session(),
        before == null ? AgentSpend.NONE : before.spend,
        before == null ? 0 : before.diverged,
        created.degraded() != null || before == null ? created.degraded() : before.degraded);
  }

  static AgentTotals after(@Nullable AgentTotals before, TraceEvent.ModelAnswered answer) {
    return new AgentTotals(
        before == null ? answer.step() : before.step,
        before == null ? null : before.agent,
        before == null ? null : before.session,
        (before == null ? AgentSpend.NONE : before.spend).plus(answer),
        (before == null ? 0 : before.diverged) + (answer.diverged() ? 1 : 0),
        before == null ? null : before.degraded);
  }
}
