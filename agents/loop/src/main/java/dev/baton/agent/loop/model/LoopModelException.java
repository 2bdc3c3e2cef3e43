/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.model;

/** A model gives no answer. The message names the reason. */
public final class LoopModelException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean budget;

  LoopModelException(String message, boolean budget, Throwable cause) {
    super(message, cause);
    this.budget = budget;
  }

  /** Whether a budget is used up. */
  public boolean isBudget() {
    return budget;
  }
}
