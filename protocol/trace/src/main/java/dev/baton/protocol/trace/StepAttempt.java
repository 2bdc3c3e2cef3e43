/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/**
 * An attempt of a visit of a step.
 *
 * @param step its path
 */
public record StepAttempt(String step, int visit, int attempt) {
  public StepAttempt {
    visit = Math.max(1, visit);
    attempt = Math.max(1, attempt);
  }
}
