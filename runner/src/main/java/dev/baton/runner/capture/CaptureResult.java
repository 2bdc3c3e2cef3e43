/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.trace.Cut;

/** Result of an attempt to create a checkpoint. */
public sealed interface CaptureResult {
  record Made(Cut cut) implements CaptureResult {}

  /** The files have not changed since the newest checkpoint. */
  record Unchanged() implements CaptureResult {}

  /** The run continues without the checkpoint. */
  record Failed(String reason) implements CaptureResult {}
}
