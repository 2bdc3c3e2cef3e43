/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import java.io.IOException;
import java.io.Serial;

/** A stack could not be started or stopped; the message states the failure and its cause. */
public final class StackException extends IOException {

  @Serial private static final long serialVersionUID = 1;

  StackException(String message) {
    super(message);
  }

  StackException(String message, Throwable cause) {
    super(message, cause);
  }
}
