/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.regex;

/** Reports an invalid regular expression, or a search that was ended. */
public final class RegexException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kind of failure. */
  public enum Reason {
    /** The pattern is not valid. */
    SYNTAX,
    /** The search exceeded its time limit. */
    TIMEOUT,
    /** The text is longer than {@link BoundedPattern#MAX_TEXT_BYTES}. */
    TOO_LONG
  }

  private final Reason reason;

  RegexException(Reason reason, String message) {
    super(message, null, false, false);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
