/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

/** A secret that a step uses cannot be resolved. The message names it, never its value. */
public final class SecretUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean temporary;

  /**
   * @param temporary whether another attempt could succeed
   */
  SecretUnavailableException(String message, boolean temporary) {
    super(message);
    this.temporary = temporary;
  }

  public boolean isTemporary() {
    return temporary;
  }
}
