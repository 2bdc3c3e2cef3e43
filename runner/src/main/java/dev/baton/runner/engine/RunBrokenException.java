/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

/**
 * This runner cannot continue the run, for example because files cannot be restored. Another runner
 * may.
 */
public final class RunBrokenException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RunBrokenException(String message, Throwable cause) {
    super(message + ": " + cause.getMessage(), cause);
  }
}
