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
 * Collects problems, at most {@value #MAX} of a kind, so that a hostile definition cannot make an
 * endless answer.
 */
final class Problems {
  static final int MAX = 100;

  private final List<Problem> errors = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();
  private boolean cut;

  void error(
      Mark mark, @Nullable String step, String path, String message, @Nullable String allowed) {
    if (errors.size() < MAX) {
      errors.add(new Problem(mark.line(), mark.column(), step, path, message, allowed));
    } else {
      cut = true;
    }
  }

  void error(Place place, String message, @Nullable String allowed) {
    error(place.node().mark(), place.step(), place.path(), message, allowed);
  }

  void warning(Mark mark, @Nullable String step, String path, String message) {
    if (warnings.size() < MAX) {
      warnings.add(new Problem(mark.line(), mark.column(), step, path, message, null));
    }
  }

  boolean isEmpty() {
    return errors.isEmpty();
  }

  List<Problem> errors() {
    List<Problem> sorted = new ArrayList<>(errors);
    sorted.sort(Problem.BY_POSITION);
    if (cut) {
      sorted.add(
          new Problem(0, 0, null, "", "there are more problems than the " + MAX + " shown", null));
    }
    return List.copyOf(sorted);
  }

  List<Problem> warnings() {
    return warnings.stream().sorted(Problem.BY_POSITION).toList();
  }
}
