/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.trace.Cut;

/** What came of an attempt to make a checkpoint. */
public sealed interface CaptureResult {
  record Made(Cut cut) implements CaptureResult {}

  /** The files are those of the newest checkpoint still. */
  record Unchanged() implements CaptureResult {}

  /** The run goes on without it. */
  record Failed(String reason) implements CaptureResult {}
}
