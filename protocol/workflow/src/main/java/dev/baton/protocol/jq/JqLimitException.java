/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

/** Ends an evaluation that has reached a limit. Not a jq error: {@code try} does not catch it. */
public final class JqLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The limit that was reached. */
  public enum Bound {
    /** The time of the evaluation. */
    TIME,
    /** The memory that its values, variables and calls hold at once. */
    MEMORY,
    /** The thread was interrupted; its interrupt flag is still set. */
    INTERRUPTED
  }

  private final Bound bound;

  JqLimitException(Bound bound) {
    super(bound.name(), null, false, false);
    this.bound = bound;
  }

  public Bound bound() {
    return bound;
  }
}
