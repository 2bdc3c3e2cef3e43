/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What a Run's resource requests of its run. */
public enum RunOperatingMode {
  @JsonProperty("Running")
  RUNNING,
  @JsonProperty("Paused")
  PAUSED,
  @JsonProperty("Cancelled")
  CANCELLED
}
