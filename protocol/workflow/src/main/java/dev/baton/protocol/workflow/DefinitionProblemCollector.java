/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects problems, at most {@value #MAX} errors and as many warnings, so that a hostile
 * definition cannot cause an unbounded response.
 */
final class DefinitionProblemCollector {
  static final int MAX = 100;

  private final List<DefinitionProblem> errors = new ArrayList<>();
  private final List<DefinitionProblem> warnings = new ArrayList<>();
  private boolean cut;

  void error(
      SourcePosition mark,
      @Nullable String step,
      String path,
      String message,
      @Nullable String allowed) {
    if (errors.size() < MAX) {
      errors.add(new DefinitionProblem(mark.line(), mark.column(), step, path, message, allowed));
    } else {
      cut = true;
    }
  }

  void error(DefinitionCursor place, String message, @Nullable String allowed) {
    error(place.node().mark(), place.step(), place.path(), message, allowed);
  }

  void warning(SourcePosition mark, @Nullable String step, String path, String message) {
    if (warnings.size() < MAX) {
      warnings.add(new DefinitionProblem(mark.line(), mark.column(), step, path, message, null));
    }
  }

  boolean isEmpty() {
    return errors.isEmpty();
  }

  List<DefinitionProblem> errors() {
    List<DefinitionProblem> sorted = new ArrayList<>(errors);
    sorted.sort(DefinitionProblem.BY_POSITION);
    if (cut) {
      sorted.add(
          new DefinitionProblem(
              0, 0, null, "", "there are more problems than the " + MAX + " shown", null));
    }
    return List.copyOf(sorted);
  }

  List<DefinitionProblem> warnings() {
    return warnings.stream().sorted(DefinitionProblem.BY_POSITION).toList();
  }
}
