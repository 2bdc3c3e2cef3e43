/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** What happens to a run whose runner died before anything was saved. */
public enum RestartPolicy {
  /** It starts again from the beginning. */
  ALWAYS,
  /** It is lost. */
  NEVER
}
