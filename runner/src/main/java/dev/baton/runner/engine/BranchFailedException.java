/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.trace.Failure;

/**
 * A step failed permanently, so its line cannot continue. The trace has its {@code step_failed}.
 */
final class BranchFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String step;
  private final transient Failure failure;

  BranchFailedException(String step, Failure failure) {
    super(step + ": " + failure.message(), null, false, false);
    this.step = step;
    this.failure = failure;
  }

  String step() {
    return step;
  }

  Failure failure() {
    return failure;
  }
}
