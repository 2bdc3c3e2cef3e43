/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

/** A session cannot be restored. The message names the part, and why. */
public final class SessionFileException extends Exception {
  private static final long serialVersionUID = 1L;

  public SessionFileException(String message) {
    super(message);
  }
}
