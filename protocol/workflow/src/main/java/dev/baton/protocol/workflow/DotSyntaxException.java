/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import org.jspecify.annotations.Nullable;

/** Ends the reading of a DOT text at a position where the grammar does not match. */
final class DotSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient SourcePosition mark;
  private final transient @Nullable String allowed;

  DotSyntaxException(SourcePosition mark, String message, @Nullable String allowed) {
    super(message, null, false, false);
    this.mark = mark;
    this.allowed = allowed;
  }

  SourcePosition mark() {
    return mark;
  }

  @Nullable String allowed() {
    return allowed;
  }
}
