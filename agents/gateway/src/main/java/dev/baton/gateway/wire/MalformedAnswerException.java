/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.wire;

import java.io.IOException;

/** Reports an answer of the model endpoint that does not have its form. */
public final class MalformedAnswerException extends IOException {
  private static final long serialVersionUID = 1L;

  public MalformedAnswerException(String message) {
    super(message);
  }
}
