/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

/** A call failed. The model gets the message, which names what is allowed. */
public final class ToolFailureException extends Exception {
  private static final long serialVersionUID = 1L;

  public ToolFailureException(String message) {
    super(message);
  }
}
