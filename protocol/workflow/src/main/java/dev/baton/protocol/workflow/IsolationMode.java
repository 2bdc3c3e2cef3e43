/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** The kind of runner that a run gets. */
public enum IsolationMode {
  /** A runner of its own: the default where a step is {@code shell} or {@code agent}. */
  ISOLATED,
  /**
   * A slot of a runner with many runs. Where the workflow says so, that runner also executes {@code
   * shell} steps without the workspace.
   */
  SHARED
}
