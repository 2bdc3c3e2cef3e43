/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Stores positions in the database of the {@link BatchHandler}: by partition, the next offset. */
public interface PositionStore {
  /** Reads the positions. Inserts 0 for a partition that was never read. */
  Uni<Map<Integer, Long>> read(Collection<Integer> partitions);

  /**
   * Handles a position after the end of the log: the log has lost records, or is another one.
   *
   * @param end the log's end, uncommitted records included
   * @return the position at which to continue; fails with {@link SinkFatalException} if the log
   *     must not be read
   */
  Uni<Long> restart(TopicPartition partition, long position, long end);

  /**
   * Handles a position that decreased while the partition was being read: the database has lost
   * transactions. The sink then reads the partition again from the stored position.
   *
   * @throws SinkFatalException if the log must not be read
   */
  void decreased(int partition, long expected, long stored);

  /** Reports offsets that were not applied and that the log no longer has. */
  void missing(long offsets);
}
