/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

/**
 * The position of this consumer in a partition.
 *
 * @param next the offset at which the next batch must begin
 * @param gap the lowest offset at which a batch began instead; {@link #NONE} if none did
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
