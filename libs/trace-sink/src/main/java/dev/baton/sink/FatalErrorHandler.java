/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

/** Handles errors after which the sink would lose records if it continued. */
@FunctionalInterface
public interface FatalErrorHandler {
  /** Reports the error, or starts to end the process, and returns the exception to throw. */
  SinkFatalException because(String reason);
}
