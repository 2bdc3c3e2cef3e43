/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.topics;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Stores the numbers of partitions that topics have had. */
@ApplicationScoped
class TopicSizeRepository {
  private final Pool pool;

  TopicSizeRepository(Pool pool) {
    this.pool = pool;
  }

  /**
   * Stores the present size, unless it is stored.
   *
   * @return all sizes of the topic, with the time at which each was stored
   */
  Uni<NavigableMap<Integer, Instant>> record(String topic, int partitions) {
    return pool.preparedQuery(
            """
            INSERT INTO orchestrator.topic_size (topic, partitions) VALUES ($1, $2)
            ON CONFLICT (topic, partitions) DO NOTHING""")
        .execute(Tuple.of(topic, partitions))
        .chain(
            () ->
                pool.preparedQuery(
                        "SELECT partitions, since FROM orchestrator.topic_size WHERE topic = $1")
                    .execute(Tuple.of(topic)))
        .map(
            rows -> {
              NavigableMap<Integer, Instant> sizes = new TreeMap<>();
              rows.forEach(
                  row ->
                      sizes.put(
                          row.getInteger("partitions"),
                          row.getOffsetDateTime("since").toInstant()));
              return sizes;
            });
  }
}
