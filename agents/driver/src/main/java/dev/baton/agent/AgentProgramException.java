/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

/** The program of an agent is missing or has another version. The message names what to do. */
public final class AgentProgramException extends Exception {
  private static final long serialVersionUID = 1L;

  public AgentProgramException(String message) {
    super(message);
  }
}
