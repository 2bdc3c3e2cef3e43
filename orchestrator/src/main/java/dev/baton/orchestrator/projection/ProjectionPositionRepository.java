/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.sink.PositionStore;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jboss.logging.Logger;

/**
 * Stores the view's positions in Postgres. The view can be built again from any log, so a position
 * that contradicts the log is corrected.
 */
@ApplicationScoped
class ProjectionPositionRepository implements PositionStore {
  private static final Logger LOG = Logger.getLogger(ProjectionPositionRepository.class);

  private final Pool pool;
  private final Counter rewound;
  private final Counter gaps;

  ProjectionPositionRepository(Pool pool, MeterRegistry metrics) {
    this.pool = pool;
    this.rewound =
        Counter.builder("baton.projection.rewinds")
            .description("partitions that were read again because Postgres had lost their view")
            .register(metrics);
    this.gaps =
        Counter.builder("baton.projection.missing.offsets")
            .description("offsets missing in the view and no longer on the log")
            .register(metrics);
  }

  /** Reads the next offset of each partition that has one. */
  Uni<Map<Integer, Long>> stored(Collection<Integer> partitions) {
    return pool.preparedQuery(
            "SELECT partition, next_offset FROM orchestrator.projection_position WHERE partition ="
                + " ANY($1)")
        .execute(Tuple.of(partitions.toArray(Integer[]::new)))
        .map(
            rows -> {
              Map<Integer, Long> found = new HashMap<>();
              rows.forEach(
                  row -> found.put(row.getInteger("partition"), row.getLong("next_offset")));
              return found;
            });
  }

  @Override
  public Uni<Map<Integer, Long>> read(Collection<Integer> partitions) {
    return pool.preparedQuery(
            """
            INSERT INTO orchestrator.projection_position (partition, next_offset)
            SELECT unnest($1::int[]), 0 ON CONFLICT (partition) DO NOTHING\
            """)
        .execute(Tuple.of(partitions.toArray(Integer[]::new)))
        .chain(() -> stored(partitions));
  }

  /** Resets the position to the beginning. The fold ignores events that it has folded before. */
  @Override
  public Uni<Long> restart(TopicPartition partition, long position, long end) {
    return pool.preparedQuery(
            """
            UPDATE orchestrator.projection_position SET next_offset = 0
            WHERE partition = $1 AND next_offset > $2\
            """)
        .execute(Tuple.of(partition.partition(), end))
        .invoke(
            () ->
                LOG.errorf(
                    "%s: the view's position %d was after offset %d, where the log ends; the log"
                        + " has lost records or is another one: reading it from its beginning",
                    partition, position, end))
        .replaceWith(0L);
  }

  @Override
  public void decreased(int partition, long expected, long stored) {
    rewound.increment();
    LOG.errorf(
        "partition %d: the view was at offset %d and is at %d, since Postgres has lost"
            + " transactions: reading again from there",
        partition, expected, stored);
  }

  @Override
  public void missing(long offsets) {
    gaps.increment(offsets);
  }
}
