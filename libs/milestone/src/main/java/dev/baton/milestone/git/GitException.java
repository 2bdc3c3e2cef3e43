/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.git;

import java.io.IOException;

/** A git call failed; the message contains the beginning of git's own error output. */
public final class GitException extends IOException {
  private static final long serialVersionUID = 1L;

  public GitException(String message) {
    super(message);
  }

  public GitException(String message, Throwable cause) {
    super(message, cause);
  }
}
