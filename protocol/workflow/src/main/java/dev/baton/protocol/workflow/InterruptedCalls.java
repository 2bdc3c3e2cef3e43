/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.List;

/**
 * What happens to the tool calls of an agent that had begun when the agent was lost, and that it
 * repeats when it is resumed. {@code rerun} comes before {@code ask}, {@code ask} before {@code
 * tell}; other calls run again.
 *
 * @param rerun patterns of calls that run again, as exceptions from the other two
 * @param ask patterns of calls that run again after a person has approved it
 * @param tell patterns of calls that do not run again: the agent gets the result that their outcome
 *     is unknown
 */
public record InterruptedCalls(List<String> rerun, List<String> ask, List<String> tell) {
  /** All calls run again. */
  public static final InterruptedCalls RERUN =
      new InterruptedCalls(List.of(), List.of(), List.of());

  public InterruptedCalls {
    rerun = List.copyOf(rerun);
    ask = List.copyOf(ask);
    tell = List.copyOf(tell);
  }
}
