/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** How a step uses the workspace. */
public enum WorkspaceUse {
  /** Does not change files: no scan is needed. */
  NONE,
  /** May change files: the workspace is captured when the step completes. */
  WRITE
}
