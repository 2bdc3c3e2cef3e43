/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import java.util.ArrayList;
import java.util.List;

/** Collects the observations and violations of one invariant. Not thread-safe. */
final class ViolationCollector {
  private final List<InvariantViolation> violations = new ArrayList<>();
  private long checked;

  /** Counts an observation that could have violated the invariant. */
  void checked() {
    checked++;
  }

  void violated(InvariantViolation violation) {
    violations.add(violation);
  }

  long count() {
    return checked;
  }

  List<InvariantViolation> violations() {
    return List.copyOf(violations);
  }
}
