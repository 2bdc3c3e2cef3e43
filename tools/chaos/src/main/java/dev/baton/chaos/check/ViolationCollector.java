/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import java.util.ArrayList;
import java.util.List;

/** What one invariant has looked at and found. Not thread-safe. */
final class ViolationCollector {
  private final List<InvariantViolation> violations = new ArrayList<>();
  private long checked;

  /** Something that could have broken the invariant was looked at. */
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
