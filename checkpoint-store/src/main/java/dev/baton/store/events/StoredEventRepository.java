/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.events;

import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the stored trace of one run in pages: a run may have more events than fit into memory at
 * once. Thread-safe.
 */
@ApplicationScoped
public class StoredEventRepository {
  /** Maximum number of events in a page. */
  public static final int PAGE = 1_000;

  /** Maximum bytes of event data in a page: the page ends with the event that reaches it. */
  public static final int PAGE_BYTES = 4 << 20;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  // Postgres has the length of a large value without reading the value. The query fetches one row
  // more than the limit to find out whether more rows follow.
  private static final String IN_LOG_ORDER =
      """
      SELECT position, lane, seq, type, source, time_micros, data, found FROM (
        SELECT *, count(*) OVER () AS found,
          sum(octet_length(data)) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING)
            - octet_length(data) AS bytes_before
        FROM (
          SELECT position, lane, seq, type, source, time_micros, data FROM store.event
          WHERE run = $1 AND position > $2 AND position <= $3 ORDER BY position
          LIMIT $4::bigint + 1) AS page
        ) AS measured
      WHERE bytes_before < $5 ORDER BY position LIMIT $4""";
  private static final String OF_CONTROL =
      """
      SELECT position, lane, seq, type, source, time_micros, data FROM store.event
      WHERE run = $1 AND lane = 0 ORDER BY position""";

  static final String OF_RETURNS =
      """
      SELECT position, lane, seq, type, source, time_micros, data FROM (
        SELECT * FROM store.event WHERE run = $1 AND lane = 0
        UNION ALL
        SELECT * FROM store.event WHERE run = $1 AND type = 'dev.baton.run_degraded') AS e
      ORDER BY position""";

  /**
   * A page of events in log order.
   *
   * @param last whether no more events followed when the page was read
   */
  public record Page(List<StoredEvent> events, boolean last) {
    public Page {
      events = List.copyOf(events);
    }
  }

  private final Pool pool;

  StoredEventRepository(Pool pool) {
    this.pool = pool;
  }

  /**
   * @param after a position; 0 for the first page
   * @param upTo the last position that may be in the page
   * @param limit 1 to {@value #PAGE}
   */
  public Uni<Page> page(String run, long after, long upTo, int limit) {
    int most = Math.min(limit, PAGE);
    return pool.preparedQuery(IN_LOG_ORDER)
        .execute(Tuple.of(run, after, upTo, most, PAGE_BYTES))
        .ifNoItem()
        .after(PATIENCE)
        .fail()
        .map(
            rows -> {
              List<StoredEvent> events = events(run, rows);
              long found = events.isEmpty() ? 0 : rows.iterator().next().getLong(7);
              return new Page(events, events.size() == found);
            });
  }

  /**
   * Reads the orchestrator's events of a run; there are few of them, however many steps the run
   * has.
   */
  public Uni<List<StoredEvent>> control(String run) {
    return pool.preparedQuery(OF_CONTROL)
        .execute(Tuple.of(run))
        .ifNoItem()
        .after(PATIENCE)
        .fail()
        .map(rows -> events(run, rows));
  }

  /**
   * Reads the events of a run of which a fold must know all in advance: those of the orchestrator,
   * and {@code run_degraded}. There are few of them.
   */
  public Uni<List<StoredEvent>> controlAndReturns(String run) {
    return pool.preparedQuery(OF_RETURNS)
        .execute(Tuple.of(run))
        .ifNoItem()
        .after(PATIENCE)
        .fail()
        .map(rows -> events(run, rows));
  }

  private static List<StoredEvent> events(String run, RowSet<Row> rows) {
    List<StoredEvent> events = new ArrayList<>(rows.size());
    rows.forEach(row -> events.add(event(run, row)));
    return events;
  }

  /** Converts a row with position, lane, seq, type, source, time_micros and data, in this order. */
  public static StoredEvent event(String run, Row row) {
    int lane = row.getInteger(1);
    Lane of = lane == 0 ? Lane.CONTROL : Lane.runner(lane);
    return new StoredEvent(
        row.getLong(0),
        new EventId(run, of, row.getLong(2)),
        row.getString(3),
        row.getString(4),
        row.getLong(5),
        row.get(Buffer.class, 6).getBytes());
  }
}
