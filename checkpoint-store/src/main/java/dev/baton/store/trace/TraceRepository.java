/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.topic.TopicName;
import dev.baton.sink.SinkBatch;
import dev.baton.sink.SinkRecord;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import io.vertx.pgclient.PgException;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes a batch in one statement, which is its own transaction: positions by compare-and-set,
 * events and cuts. Stores either the whole batch or nothing.
 */
@ApplicationScoped
class TraceRepository {
  // One round trip and one commit for the batch. Rows are inserted only if all positions were
  // advanced; if only some were, the division by zero rolls the statement back.
  private static final String POSITIONS =
      """
      WITH moved AS (
        UPDATE store.consumer_position AS old SET next_offset = move.next
        FROM unnest($2::integer[], $3::bigint[], $4::bigint[]) AS move(partition, expected, next)
        WHERE old.topic = $1 AND old.partition = move.partition AND old.next_offset = move.expected
        RETURNING old.partition)\
      """;
  private static final String EVENTS =
      """
      , stored AS (
        INSERT INTO store.event
          (run, lane, seq, partition, position, type, source, time_micros, lease, data)
        SELECT * FROM unnest($5::text[], $6::integer[], $7::bigint[], $8::integer[], $9::bigint[],
          $10::text[], $11::text[], $12::bigint[], $13::text[], $14::bytea[])
        WHERE (SELECT count(*) FROM moved) = cardinality($2::integer[])
        %s
        RETURNING run, lane, seq, position)\
      """;

  // Only for events that were inserted: a duplicate event adds no cut.
  private static final String CUTS =
      """
      , cuts AS (
        INSERT INTO store.cut
          (run, lane, seq, position, step, digest, format, tree_bytes, stored_bytes, file_count,
           time_micros, checkpoint)
        SELECT run, lane, seq, position, step, digest, format, tree_bytes, stored_bytes,
          file_count, time_micros, checkpoint
        FROM unnest($15::text[], $16::integer[], $17::bigint[], $18::bigint[], $19::text[],
          $20::text[], $21::text[], $22::bigint[], $23::bigint[], $24::bigint[], $25::bigint[],
          $26::text[])
          AS c(run, lane, seq, position, step, digest, format, tree_bytes, stored_bytes,
            file_count, time_micros, checkpoint)
        JOIN stored USING (run, lane, seq, position))\
      """;
  private static final String COUNTS =
      """

      SELECT (SELECT count(*) FROM moved), %s,
        1 / ((SELECT count(*) FROM moved) IN (0, cardinality($2::integer[])))::integer\
      """;

  private static final String MOVE_ONLY = POSITIONS + COUNTS.formatted("0::bigint");
  private static final String STORED = "(SELECT count(*) FROM stored)";

  // Duplicates occur only when a producer repeats an event. ON CONFLICT costs Postgres 20% more for
  // each batch, so it is used only after a unique violation.
  private static final Statements NEW = Statements.with("");
  private static final Statements REPEATED = Statements.with("ON CONFLICT DO NOTHING");

  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

  private static final String DIVISION_BY_ZERO = "22012";
  private static final String UNIQUE_VIOLATION = "23505";

  /**
   * @param events for a batch without cuts
   */
  private record Statements(String events, String cuts) {
    static Statements with(String conflict) {
      String events = POSITIONS + EVENTS.formatted(conflict);
      String counts = COUNTS.formatted(STORED);
      return new Statements(events + counts, events + CUTS + counts);
    }

    String of(SinkBatch batch, List<CutRow> cutRows) {
      return batch.records().isEmpty() ? MOVE_ONLY : cutRows.isEmpty() ? events : cuts;
    }
  }

  /** The outcome of writing a batch. */
  sealed interface Outcome {
    /**
     * @param events the number of new events
     */
    record Stored(int events) implements Outcome {}

    /** Nothing was written: a stored position differs from the expected one. */
    record Moved() implements Outcome {}
  }

  private final Pool pool;

  TraceRepository(Pool pool) {
    this.pool = pool;
  }

  Uni<Outcome> write(SinkBatch batch, Map<Integer, Long> expected) {
    List<CutRow> cuts = batch.records().stream().map(CutRow::of).filter(Objects::nonNull).toList();
    Tuple values = values(batch, cuts, expected);
    return execute(NEW.of(batch, cuts), values)
        .onFailure(failure -> isState(failure, UNIQUE_VIOLATION))
        .recoverWithUni(() -> execute(REPEATED.of(batch, cuts), values))
        .onFailure(failure -> isState(failure, DIVISION_BY_ZERO))
        .recoverWithItem(Outcome.Moved::new);
  }

  private Uni<Outcome> execute(String statement, Tuple values) {
    return pool.preparedQuery(statement)
        .execute(values)
        .map(rows -> outcome(rows.iterator().next()));
  }

  private static Outcome outcome(Row counts) {
    return counts.getLong(0) == 0
        ? new Outcome.Moved()
        : new Outcome.Stored(Math.toIntExact(counts.getLong(1)));
  }

  private static boolean isState(Throwable failure, String state) {
    return failure instanceof PgException pg && state.equals(pg.getSqlState());
  }

  private static Tuple values(SinkBatch batch, List<CutRow> cuts, Map<Integer, Long> expected) {
    List<Map.Entry<Integer, Long>> next = List.copyOf(batch.next().entrySet());
    Tuple values =
        Tuple.of(
            TopicName.TRACE,
            column(next, Integer[]::new, Map.Entry::getKey),
            column(next, Long[]::new, move -> expected.get(move.getKey())),
            column(next, Long[]::new, Map.Entry::getValue));
    if (!batch.records().isEmpty()) {
      addEvents(values, batch.records());
      if (!cuts.isEmpty()) {
        addCuts(values, cuts);
      }
    }
    return values;
  }

  private static void addEvents(Tuple values, List<SinkRecord> rows) {
    values
        .addValue(column(rows, String[]::new, row -> row.id().run()))
        .addValue(column(rows, Integer[]::new, row -> row.id().lane().epoch()))
        .addValue(column(rows, Long[]::new, row -> row.id().seq()))
        .addValue(column(rows, Integer[]::new, SinkRecord::partition))
        .addValue(column(rows, Long[]::new, SinkRecord::position))
        .addValue(column(rows, String[]::new, SinkRecord::type))
        .addValue(column(rows, String[]::new, SinkRecord::source))
        .addValue(column(rows, Long[]::new, TraceRepository::micros))
        .addValue(column(rows, String[]::new, TraceRepository::proof))
        .addValue(column(rows, Buffer[]::new, row -> Buffer.buffer(row.data())));
  }

  /**
   * Returns what proves the writer: the column {@code lease} has the signature of control events.
   */
  private static @Nullable String proof(SinkRecord row) {
    return row.id().lane().isControl() ? row.signature() : row.lease();
  }

  private static void addCuts(Tuple values, List<CutRow> rows) {
    values
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
            column(rows, Long[]::new, row -> Objects.requireNonNullElse(micros(row.event()), 0L)))
        .addValue(column(rows, String[]::new, row -> row.cut().checkpoint()));
  }

  /** Null if the event has no time, or one outside of the years 1 to 9999. */
  private static @Nullable Long micros(SinkRecord event) {
    Instant time = event.time();
    return time == null || time.isBefore(FIRST) || time.isAfter(LAST)
        ? null
        : ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  private static <R, C extends @Nullable Object> Object column(
      List<R> rows, IntFunction<@Nullable C[]> array, Function<R, C> value) {
    return rows.stream().map(value).toArray(array);
  }
}
