/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

/**
 * The part of a partition that a batch covers, poison included.
 *
 * @param first offset of the first record
 * @param next the offset at which the partition continues after the batch: after the last record
 *     and after offsets without a record, for example transaction markers
 */
public record OffsetRange(long first, long next) {

  OffsetRange plus(long offset) {
    return new OffsetRange(Math.min(first, offset), Math.max(next, offset + 1));
  }
}
