/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.steps;

import java.util.Locale;

/** What a measured step does. */
public enum MeasuredStepKind {
  /** Returns its input. */
  TRANSFORM(0),
  /** Waits durably. */
  WAIT(10);

  private final int waitMillis;

  MeasuredStepKind(int waitMillis) {
    this.waitMillis = waitMillis;
  }

  /** Its name in options and reports. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** How long a step waits; 0 where it does not. */
  public int waitMillis() {
    return waitMillis;
  }
}
