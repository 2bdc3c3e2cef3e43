/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** From which files a step starts again whose runner was lost while it was in progress. */
public enum StepResumeMode {
  /** From those before the step. */
  FROM_START,
  /** From the newest checkpoint inside the step, if there is one. */
  FROM_CHECKPOINT
}
