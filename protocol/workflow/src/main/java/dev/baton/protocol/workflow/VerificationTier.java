/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Locale;

/** How thoroughly a milestone is verified, from quick checks to a full verification. */
public enum VerificationTier {
  TIER0,
  TIER1,
  TIER2;

  /** The name in definitions and sidecars. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
