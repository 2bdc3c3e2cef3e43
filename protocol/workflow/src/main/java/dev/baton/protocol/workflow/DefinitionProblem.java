/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A problem in a definition.
 *
 * @param line from 1; 0 where unknown
 * @param column from 1; 0 where unknown
 * @param step the id of the step that contains it, if any
 * @param path its position in the tree, such as {@code steps[2].retry.max}; empty for the whole
 * @param message what is wrong, naming the value
 * @param allowed what is allowed, where that can be stated
 */
public record DefinitionProblem(
    int line,
    int column,
    @Nullable String step,
    String path,
    String message,
    @Nullable String allowed) {

  static final Comparator<DefinitionProblem> BY_POSITION =
      Comparator.comparingInt(DefinitionProblem::line).thenComparingInt(DefinitionProblem::column);

  /**
   * Returns one line for a person: {@code line 3, column 7 (step build, steps[0].retry.max):
   * message; allowed: …}.
   */
  public String describe() {
    StringBuilder out = new StringBuilder();
    if (line > 0) {
      out.append("line ").append(line).append(", column ").append(column);
    }
    String where =
        step == null ? path : path.isEmpty() ? "step " + step : "step " + step + ", " + path;
    if (!where.isEmpty()) {
      out.append(out.isEmpty() ? "" : " ").append('(').append(where).append(')');
    }
    out.append(out.isEmpty() ? "" : ": ").append(message);
    if (allowed != null) {
      out.append("; allowed: ").append(allowed);
    }
    return out.toString();
  }
}
