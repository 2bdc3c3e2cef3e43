/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

/** A request that the orchestrator did not perform. */
public abstract sealed class OrchestratorException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String text;

  private OrchestratorException(String text) {
    super(text);
    this.text = text;
  }

  /** Returns the message. */
  public String text() {
    return text;
  }

  /** The request is wrong as it is: the message states what is allowed. */
  public static final class RejectedException extends OrchestratorException {
    private static final long serialVersionUID = 1L;
    private final String reason;

    /**
     * @param reason in CamelCase
     */
    public RejectedException(String reason, String message) {
      super(message);
      this.reason = reason;
    }

    public String reason() {
      return reason;
    }
  }

  /** The orchestrator, or what it needs, is not available: repeat the request. */
  public static final class UnavailableException extends OrchestratorException {
    private static final long serialVersionUID = 1L;

    public UnavailableException(String message) {
      super(message);
    }
  }
}
