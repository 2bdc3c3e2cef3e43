/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import dev.baton.store.scheduling.Await;
import dev.baton.store.snapshot.RunFoldService;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code origin.json}: a fork's origin state, so that a resume of the fork does not need its
 * parent.
 *
 * @param position in the parent's log at which the fork was created
 * @param copies maps the parent's checkpoints to their copies in the fork
 * @param state a {@link dev.baton.protocol.state.RunState}
 */
record ForkOrigin(
    String project,
    String parent,
    long position,
    @Nullable String step,
    @Nullable JsonNode inside,
    @Nullable String checkpoint,
    JsonNode copies,
    JsonNode state) {

  /** Reads and writes origins in Postgres. Blocks. */
  @ApplicationScoped
  static class Table {
    static final String OF =
        """
        SELECT project, parent, position, step, inside, checkpoint, copies::text
        FROM store.fork WHERE run = $1""";

    static final String PUT =
        """
        INSERT INTO store.fork (run, project, parent, position, step, inside, checkpoint, copies, state)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9)
        ON CONFLICT (run) DO NOTHING""";

    private final Pool pool;
    private final RunFoldService folds;

    Table(Pool pool, RunFoldService folds) {
      this.pool = pool;
      this.folds = folds;
    }

    /** Returns a fork's origin; empty for other runs. */
    Optional<ForkOrigin> of(String run) {
      for (Row row : Await.get(pool.preparedQuery(OF).execute(Tuple.of(run)))) {
        String inside = row.getString(4);
        return Optional.of(
            new ForkOrigin(
                row.getString(0),
                row.getString(1),
                row.getLong(2),
                row.getString(3),
                inside == null ? null : Json.tree(utf8(inside)),
                row.getString(5),
                Json.tree(utf8(row.getString(6))),
                Json.tree(Await.get(folds.base(run)))));
      }
      return Optional.empty();
    }

    void put(String run, ForkOrigin origin) {
      JsonNode inside = origin.inside();
      Await.get(
          pool.preparedQuery(PUT)
              .execute(
                  Tuple.tuple()
                      .addValue(run)
                      .addValue(origin.project())
                      .addValue(origin.parent())
                      .addValue(origin.position())
                      .addValue(origin.step())
                      .addValue(inside == null || inside.isNull() ? null : inside.toString())
                      .addValue(origin.checkpoint())
                      .addValue(origin.copies().toString())
                      .addValue(Buffer.buffer(Json.bytes(origin.state())))));
    }

    private static byte[] utf8(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }
}
