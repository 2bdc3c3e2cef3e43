/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.topic.TopicName;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Reads the consumer's positions from Postgres: by partition, the next offset to store. */
@ApplicationScoped
class PositionStore {
  private static final String OPEN =
      """
      INSERT INTO store.consumer_position (topic, partition, next_offset)
      SELECT $1, partition, 0 FROM unnest($2::integer[]) AS partition
      ON CONFLICT DO NOTHING""";
  private static final String READ =
      """
      SELECT partition, next_offset FROM store.consumer_position
      WHERE topic = $1 AND partition = ANY($2::integer[])""";

  private final Pool pool;

  PositionStore(Pool pool) {
    this.pool = pool;
  }

  /** Reads the positions. Inserts 0 for a partition that was never read. */
  Uni<Map<Integer, Long>> read(Collection<Integer> partitions) {
    Tuple which = Tuple.of(TopicName.TRACE, partitions.toArray(Integer[]::new));
    return pool.preparedQuery(OPEN)
        .execute(which)
        .chain(() -> pool.preparedQuery(READ).execute(which))
        .map(
            rows -> {
              Map<Integer, Long> positions = new HashMap<>();
              rows.forEach(row -> positions.put(row.getInteger(0), row.getLong(1)));
              return positions;
            });
  }
}
