/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

/**
 * Where a partition is.
 *
 * @param next the offset with which the next batch has to begin
 * @param gap the lowest offset with which a later batch came instead; {@link #NONE} when none did
 */
record PartitionPosition(long next, long gap) {
  static final long NONE = Long.MAX_VALUE;

  static PartitionPosition at(long next) {
    return new PartitionPosition(next, NONE);
  }

  PartitionPosition seen(long first) {
    return new PartitionPosition(next, Math.min(gap, first));
  }
}
