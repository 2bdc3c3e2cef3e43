/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.journal;

import org.jspecify.annotations.Nullable;

/** An event could not be written to the trace. The runner cannot continue the run. */
public final class JournalException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  JournalException(String event, @Nullable Throwable cause) {
    super("cannot write " + event + ": " + (cause == null ? "unknown" : cause.getMessage()), cause);
  }
}
