/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.snapshot;

/** What is measured of each tool, in this order, each on what the one before has left. */
public enum SnapshotPhase {
  /** Into an empty store. */
  FIRST("first"),
  /** Nothing has changed since. */
  UNCHANGED("unchanged"),
  /** One file in a hundred has changed. */
  PERCENT("percent"),
  /** Ten files have changed. */
  TEN("ten"),
  /** Everything, into an empty folder. */
  RESTORE("restore");

  private final String label;

  SnapshotPhase(String label) {
    this.label = label;
  }

  /** One word, in lower case. */
  public String label() {
    return label;
  }
}
