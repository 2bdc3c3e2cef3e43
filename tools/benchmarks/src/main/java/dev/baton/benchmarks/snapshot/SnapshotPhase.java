/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

import java.util.Locale;

/** The measured phases of each tool, in this order; each builds on the result of the one before. */
public enum SnapshotPhase {
  /** Capture into an empty store. */
  FIRST,
  /** Capture without any change. */
  UNCHANGED,
  /** Capture after one file in a hundred was changed. */
  PERCENT,
  /** Capture after ten files were changed. */
  TEN,
  /** Restore of everything into an empty folder. */
  RESTORE;

  /** One word, in lower case. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
