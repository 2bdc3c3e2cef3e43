/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.jq;

/** Says that a text is no jq program, and at which character. */
public final class JqSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int offset;

  JqSyntaxException(String message, int offset) {
    super(message, null, false, false);
    this.offset = offset;
  }

  /** The character within the program, from 0. */
  public int offset() {
    return offset;
  }
}
