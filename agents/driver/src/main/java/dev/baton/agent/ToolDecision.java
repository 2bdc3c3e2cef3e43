/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

/** The decision on a tool call. */
public sealed interface ToolDecision {
  /** The call runs, with its input unchanged. */
  record Allow() implements ToolDecision {}

  /**
   * The call does not run.
   *
   * @param message that the model gets as the result
   */
  record Deny(String message) implements ToolDecision {}
}
