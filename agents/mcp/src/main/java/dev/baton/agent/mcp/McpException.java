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

  private final String reason;
  private final boolean outcomeUnknown;

  private McpException(String reason, String outcome, boolean outcomeUnknown) {
    super(reason + outcome);
    this.reason = reason;
    this.outcomeUnknown = outcomeUnknown;
  }

  static McpException notSent(String reason) {
    return new McpException(reason, "; the request was not sent", false);
  }

  static McpException refused(String reason) {
    return new McpException(reason, "", false);
  }

  static McpException unknown(String reason) {
    return new McpException(
        reason, "; whether the request took effect is unknown, and it is not repeated", true);
  }

  /** The message without the part about the outcome. */
  String reason() {
    return reason;
  }

  /** Whether the request may have taken effect. */
  public boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }
}
