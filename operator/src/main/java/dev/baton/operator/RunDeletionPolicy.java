/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What the deletion of a Run's resource does to its run. */
public enum RunDeletionPolicy {
  /** Cancels it. */
  @JsonProperty("Cancel")
  CANCEL,
  /** Nothing: it continues without a resource. */
  @JsonProperty("Orphan")
  ORPHAN
}
