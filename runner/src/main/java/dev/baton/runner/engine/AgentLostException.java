/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

/** The process of the agent is gone, or hangs: it can be resumed. */
final class AgentLostException extends Exception {
  private static final long serialVersionUID = 1L;

  AgentLostException(String message) {
    super(message);
  }
}
