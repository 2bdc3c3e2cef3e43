/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.topic.TopicName;
import dev.baton.sink.FatalErrorHandler;
import dev.baton.sink.PositionStore;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * Stores the consumer's positions in Postgres. Events cannot be stored again from another log, so
 * positions that contradict the log end the process.
 */
@ApplicationScoped
class TracePositionRepository implements PositionStore {
  private static final String OPEN =
      """
      INSERT INTO store.consumer_position (topic, partition, next_offset)
      SELECT $1, partition, 0 FROM unnest($2::integer[]) AS partition
      ON CONFLICT DO NOTHING\
      """;
  private static final String READ =
      """
      SELECT partition, next_offset FROM store.consumer_position
      WHERE topic = $1 AND partition = ANY($2::integer[])\
      """;

  private final Pool pool;
  private final FatalErrorHandler fatal;
  private final TraceMetrics metrics;

  TracePositionRepository(Pool pool, FatalErrorHandler fatal, TraceMetrics metrics) {
    this.pool = pool;
    this.fatal = fatal;
    this.metrics = metrics;
  }

  @Override
  public Uni<Map<Integer, Long>> read(Collection<Integer> partitions) {
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

  @Override
  public Uni<Long> restart(TopicPartition partition, long position, long end) {
    throw fatal.because(
        "Postgres has stored %s up to offset %d, but the log ends at %d: it is not the log"
                .formatted(partition, position, end)
            + " that was stored. Restore the store's own log, or use an empty schema.");
  }

  /** Ends the process: its caches have events that Postgres has lost. */
  @Override
  public void decreased(int partition, long expected, long stored) {
    throw fatal.because(
        "partition %d: its stored position decreased from %d to %d"
            .formatted(partition, expected, stored));
  }

  @Override
  public void missing(long offsets) {
    metrics.missing(offsets);
  }
}
