/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.outputs;

/**
 * Ends an evaluation that needs an output which cannot be fetched. Its cause is an {@link
 * InterruptedException} if the thread was interrupted.
 */
public final class OutputUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public OutputUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Whether the thread was interrupted while it waited for the output. */
  public boolean isInterruption() {
    return getCause() instanceof InterruptedException;
  }
}
