/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

/**
 * A request to an MCP server that has no answer. Baton never repeats it.
 *
 * <p>{@link #isOutcomeUnknown} distinguishes a request that may have had an effect from one that
 * was not sent.
 */
public final class McpException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean outcomeUnknown;

  private McpException(String message, boolean outcomeUnknown) {
    super(message);
    this.outcomeUnknown = outcomeUnknown;
  }

  static McpException notSent(String message) {
    return new McpException(message + "; the request was not sent", false);
  }

  static McpException refused(String message) {
    return new McpException(message, false);
  }

  static McpException unknown(String message) {
    return new McpException(
        message + "; whether the request took effect is unknown, and it is not repeated", true);
  }

  /** Whether the request may have taken effect. */
  public boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }
}
