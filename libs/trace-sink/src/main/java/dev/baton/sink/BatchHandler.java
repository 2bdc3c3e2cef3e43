/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import io.smallrye.mutiny.Uni;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Applies batches to a database. The sink calls it for one batch at a time and repeats a failed
 * call, also if the failed one was committed.
 */
public interface BatchHandler {
  /** What became of a batch. */
  enum Outcome {
    /** The batch and its positions are committed. */
    APPLIED,
    /** Nothing was written: a stored position differs from the expected one. */
    MOVED
  }

  /**
   * Fetches what {@link #refusal} needs for the records of this batch: keys of leases, home
   * partitions. Called before its records are offered; repeated after a failure.
   */
  Uni<Void> learn(SinkBatch batch);

  /**
   * Returns in one line why the record must not be applied; null to apply it. Pure but for
   * counters; may be called again for the same record.
   */
  @Nullable String refusal(SinkRecord record);

  /**
   * Writes the records and advances the positions by compare-and-set, in one transaction: either
   * everything or nothing.
   *
   * @param batch its positions after the batch are {@link SinkBatch#next}; may have no records
   * @param expected by partition, the position before the batch; may name more partitions
   * @return fails with any exception if nothing, or possibly everything, was written
   */
  Uni<Outcome> apply(SinkBatch batch, Map<Integer, Long> expected);

  /** Whether {@link #apply} cannot succeed for this batch, because of one of its records. */
  boolean isRefused(Throwable failure);
}
