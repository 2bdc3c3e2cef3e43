/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** What happens to a run whose runner is lost before any of its state was saved. */
public enum RestartPolicy {
  /** It restarts from the beginning. */
  ALWAYS,
  /** It is lost. */
  NEVER
}
