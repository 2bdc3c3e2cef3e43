/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

/** The text is not a valid jq program. */
public final class JqSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int offset;

  JqSyntaxException(String message, int offset) {
    super(message, null, false, false);
    this.offset = offset;
  }

  /** Returns the position within the program, in characters from 0. */
  public int offset() {
    return offset;
  }
}
