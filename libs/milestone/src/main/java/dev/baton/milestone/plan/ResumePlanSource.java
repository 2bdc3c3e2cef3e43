/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.plan;

import java.util.Locale;

/** Where a plan's checkpoint was found, in order of preference. */
public enum ResumePlanSource {
  SIDECAR,
  GIT_LOG_RUN_SPECIFIC,
  GIT_LOG_LEGACY,
  NONE;

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
