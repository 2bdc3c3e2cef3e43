/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.RepeatedCall;
import dev.baton.protocol.trace.TraceEvent;
import org.jspecify.annotations.Nullable;

/**
 * A tool call of an agent that has begun since the boundary that the agent is resumed from.
 *
 * @param times how often it has begun; at least 1
 * @param outcome {@code ok} or {@code error} of the newest time; null while it is unknown
 * @param tool name; null where unknown
 * @param input beginning of its main input; null unless the agent uses its own login
 */
public record BegunToolCall(
    int times, @Nullable String outcome, @Nullable String tool, @Nullable String input) {
  /** Returns the call after it has begun once more. */
  public static BegunToolCall after(@Nullable BegunToolCall before, TraceEvent.ToolBegun begun) {
    return new BegunToolCall(
        before == null ? 1 : before.times() + 1, null, begun.tool(), begun.input());
  }

  /**
   * Returns the call after an end of it was reported. A refusal changes nothing: it is about a
   * repetition that has not run.
   */
  public BegunToolCall ended(@Nullable String how) {
    boolean ran = "ok".equals(how) || "error".equals(how);
    return ran && outcome == null ? new BegunToolCall(times, how, tool, input) : this;
  }

  /**
   * Returns what is reported when a resumed agent may repeat the call.
   *
   * @param id of the call
   */
  public RepeatedCall repeated(String id) {
    return new RepeatedCall(id, tool, input, outcome);
  }
}
