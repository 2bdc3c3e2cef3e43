/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes a batch in one transaction: positions by compare and set, events, cuts. Either all of it
 * is stored or nothing.
 */
@ApplicationScoped
class TraceWriter {
  private static final String EVENTS =
      """
      INSERT INTO store.event
        (run, lane, seq, partition, position, type, source, time_micros, lease, data)
      SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::integer[], $5::bigint[],
        $6::text[], $7::text[], $8::bigint[], $9::text[], $10::bytea[])
      ON CONFLICT DO NOTHING""";

  // Only for events that were stored: a second event of the same id adds nothing.
  private static final String CUTS =
      """
      INSERT INTO store.cut
        (run, lane, seq, position, step, digest, format, tree_bytes, stored_bytes, file_count,
         time_micros)
      SELECT c.* FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[], $5::text[],
        $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
        AS c(run, lane, seq, position, step, digest, format, tree_bytes, stored_bytes, file_count,
          time_micros)
      WHERE EXISTS (SELECT 1 FROM store.event e
        WHERE e.run = c.run AND e.lane = c.lane AND e.seq = c.seq AND e.position = c.position)
      ON CONFLICT DO NOTHING""";

  /** What became of a batch. */
  sealed interface Outcome {
    /**
     * @param events how many were new
     */
    record Stored(int events) implements Outcome {}

    /** Nothing was written: a position is not where this consumer thinks it is. */
    record Moved() implements Outcome {}
  }

  private final Pool pool;
  private final PositionStore positions;

  TraceWriter(Pool pool, PositionStore positions) {
    this.pool = pool;
    this.positions = positions;
  }

  Uni<Outcome> write(DecodedBatch batch, Map<Integer, Long> expected) {
    return pool.withTransaction(
            connection ->
                positions
                    .move(connection, expected, batch.next())
                    .chain(
                        moved ->
                            moved
                                ? insert(connection, batch)
                                : Uni.createFrom().failure(new PositionMoved())))
        .<Outcome>map(Outcome.Stored::new)
        .onFailure(PositionMoved.class)
        .recoverWithItem(new Outcome.Moved());
  }

  private static Uni<Integer> insert(SqlConnection connection, DecodedBatch batch) {
    if (batch.events().isEmpty()) {
      return Uni.createFrom().item(0);
    }
    return connection
        .preparedQuery(EVENTS)
        .execute(events(batch.events()))
        .chain(
            inserted ->
                batch.cuts().isEmpty()
                    ? Uni.createFrom().item(inserted.rowCount())
                    : connection
                        .preparedQuery(CUTS)
                        .execute(cuts(batch.cuts()))
                        .replaceWith(inserted.rowCount()));
  }

  private static Tuple events(List<EventRow> rows) {
    return Tuple.tuple()
        .addValue(column(rows, String[]::new, row -> row.id().run()))
        .addValue(column(rows, Integer[]::new, row -> row.id().lane().epoch()))
        .addValue(column(rows, Long[]::new, row -> row.id().seq()))
        .addValue(column(rows, Integer[]::new, EventRow::partition))
        .addValue(column(rows, Long[]::new, EventRow::position))
        .addValue(column(rows, String[]::new, EventRow::type))
        .addValue(column(rows, String[]::new, EventRow::source))
        .addValue(column(rows, Long[]::new, EventRow::timeMicros))
        .addValue(column(rows, String[]::new, EventRow::lease))
        .addValue(column(rows, Buffer[]::new, row -> Buffer.buffer(row.data())));
  }

  private static Tuple cuts(List<CutRow> rows) {
    return Tuple.tuple()
        .addValue(column(rows, String[]::new, row -> row.event().id().run()))
        .addValue(column(rows, Integer[]::new, row -> row.event().id().lane().epoch()))
        .addValue(column(rows, Long[]::new, row -> row.event().id().seq()))
        .addValue(column(rows, Long[]::new, row -> row.event().position()))
        .addValue(column(rows, String[]::new, CutRow::step))
        .addValue(column(rows, String[]::new, row -> row.cut().digest()))
        .addValue(column(rows, String[]::new, row -> row.cut().format()))
        .addValue(column(rows, Long[]::new, row -> row.cut().treeBytes()))
        .addValue(column(rows, Long[]::new, row -> row.cut().storedBytes()))
        .addValue(column(rows, Long[]::new, row -> row.cut().fileCount()))
        .addValue(
            column(
                rows,
                Long[]::new,
                row ->
                    row.event().timeMicros() == null ? Long.valueOf(0) : row.event().timeMicros()));
  }

  private static <R, C extends @Nullable Object> Object column(
      List<R> rows, IntFunction<@Nullable C[]> array, Function<R, C> value) {
    return rows.stream().map(value).toArray(array);
  }

  /** Rolls the transaction back. */
  private static final class PositionMoved extends RuntimeException {
    private static final long serialVersionUID = 1;

    PositionMoved() {
      super("a position is not the expected one", null, false, false);
    }
  }
}
