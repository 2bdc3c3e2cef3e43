/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.List;

/**
 * What happens to a tool call that had begun when the agent was lost, and that it repeats when it
 * is resumed; by patterns as those of {@link ToolRules}. {@code rerun} comes before {@code ask},
 * {@code ask} before {@code tell}; calls without a pattern run again.
 */
public record InterruptedCallRules(List<String> rerun, List<String> ask, List<String> tell) {
  /** All calls run again. */
  public static final InterruptedCallRules RERUN =
      new InterruptedCallRules(List.of(), List.of(), List.of());

  public InterruptedCallRules {
    rerun = List.copyOf(rerun);
    ask = List.copyOf(ask);
    tell = List.copyOf(tell);
  }

  /** What happens to a call. */
  public enum Treatment {
    /** It runs again. */
    RERUN,
    /** It runs again when a person approves it. */
    ASK,
    /** It does not run again. */
    TELL
  }

  boolean rerunsEverything() {
    return ask.isEmpty() && tell.isEmpty();
  }

  /**
   * Returns the treatment of a call.
   *
   * @param tool name
   * @param input its main input (command, path, URL); empty for none
   */
  public Treatment treatment(String tool, String input) {
    if (ToolPattern.anyMatches(rerun, tool, input)) {
      return Treatment.RERUN;
    }
    if (ToolPattern.anyMatches(ask, tool, input)) {
      return Treatment.ASK;
    }
    return ToolPattern.anyMatches(tell, tool, input) ? Treatment.TELL : Treatment.RERUN;
  }
}
