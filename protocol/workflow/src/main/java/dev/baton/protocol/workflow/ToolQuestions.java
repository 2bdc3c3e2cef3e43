/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The tool calls of an agent that need the approval of a person.
 *
 * @param patterns names of tools, or a name with a beginning of its main input in parentheses
 * @param timeout after which an unanswered call is refused; empty for none
 */
public record ToolQuestions(List<String> patterns, Optional<Duration> timeout) {
  /** No call needs an approval by the rules. */
  public static final ToolQuestions NONE = new ToolQuestions(List.of(), Optional.empty());

  public ToolQuestions {
    patterns = List.copyOf(patterns);
  }
}
