/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.spend;

/** Refuses a request since a budget is used up, or cannot be enforced. */
public final class BudgetExceededException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String budget;

  /**
   * @param budget {@code cost}, {@code tokens}, {@code turns} or {@code deadline}
   */
  public BudgetExceededException(String budget, String message) {
    super(message);
    this.budget = budget;
  }

  public String budget() {
    return budget;
  }
}
