/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.archive;

import dev.baton.store.scheduling.Await;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Stores the archive's state per run in Postgres. Blocks. */
@ApplicationScoped
class ArchiveRepository {
  /** After this many failures a run is archived again only after a restart or its next event. */
  static final int MOST_ATTEMPTS = 20;

  static final int PAGE = 500;

  // A run that is paused without a runner has no run_paused: the request itself pauses it.
  static final String DUE =
      """
      SELECT e.run FROM store.event e LEFT JOIN store.archive a ON a.run = e.run
      WHERE e.type IN ('dev.baton.run_completed', 'dev.baton.run_failed', 'dev.baton.run_cancelled',
          'dev.baton.run_lost', 'dev.baton.run_paused',
          'dev.baton.approval_requested', 'dev.baton.checkpoint_waiting',
          'dev.baton.pause_requested')
        AND CASE WHEN e.type = 'dev.baton.pause_requested'
          THEN convert_from(e.data, 'UTF8')::json ->> 'idle' = 'true' ELSE true END
        AND e.run > $1
        AND (a.run IS NULL OR (a.state = 0 AND a.position < e.position AND a.attempts < $2))
      GROUP BY e.run ORDER BY e.run LIMIT $3""";

  static final String STATES = "SELECT run, state FROM store.archive WHERE run = ANY($1)";
  static final String THERE =
      """
      SELECT asked.run FROM unnest($1::text[]) AS asked(run)
      WHERE EXISTS (SELECT FROM store.event e WHERE e.run = asked.run)""";

  static final String KEPT =
      """
      INSERT INTO store.archive AS old (run, state, position) VALUES ($1, 0, $2)
      ON CONFLICT (run) DO UPDATE SET state = 0, attempts = 0,
        position = greatest(old.position, excluded.position)
      WHERE old.state <> 2""";
  static final String FAILED =
      """
      INSERT INTO store.archive AS old (run, state, attempts) VALUES ($1, 0, 1)
      ON CONFLICT (run) DO UPDATE SET attempts = old.attempts + 1""";
  static final String HYDRATING =
      "INSERT INTO store.archive (run, state) VALUES ($1, 1) ON CONFLICT DO NOTHING";
  static final String ERASED =
      """
      INSERT INTO store.archive (run, state, owed) VALUES ($1, 2, true)
      ON CONFLICT (run) DO UPDATE SET state = 2, owed = true""";
  static final String OWED = "SELECT run FROM store.archive WHERE owed LIMIT 10000";
  static final String PAID = "UPDATE store.archive SET owed = false WHERE run = ANY($1) AND owed";
  static final String POSITION =
      "SELECT coalesce(max(position), 0) FROM store.event WHERE run = $1";
  static final String HOME = "SELECT partition FROM store.run_home WHERE run = $1";
  static final String FORGIVE = "UPDATE store.archive SET attempts = 0 WHERE attempts > 0";

  /** The state of a run in the archive; the ordinal is stored. */
  enum State {
    KEPT,
    HYDRATING,
    ERASED
  }

  private final Pool pool;

  ArchiveRepository(Pool pool) {
    this.pool = pool;
  }

  /** Runs whose newest events are not archived, in the order of their ids. */
  List<String> due(String after) {
    return runs(DUE, Tuple.of(after, MOST_ATTEMPTS, PAGE));
  }

  Map<String, State> states(Collection<String> runs) {
    Map<String, State> states = new HashMap<>();
    for (Row row :
        Await.get(
            pool.preparedQuery(STATES)
                .execute(Tuple.tuple().addValue(runs.toArray(String[]::new))))) {
      states.put(row.getString(0), State.values()[row.getInteger(1)]);
    }
    return states;
  }

  boolean isErased(String run) {
    return states(List.of(run)).get(run) == State.ERASED;
  }

  /** Returns those of the runs that have events. */
  List<String> present(Collection<String> runs) {
    return runs(THERE, Tuple.tuple().addValue(runs.toArray(String[]::new)));
  }

  /** Returns the home partition of a run that was imported in part before; empty for others. */
  OptionalInt home(String run) {
    for (Row row : Await.get(pool.preparedQuery(HOME).execute(Tuple.of(run)))) {
      return OptionalInt.of(row.getInteger(0));
    }
    return OptionalInt.empty();
  }

  void kept(String run, long position) {
    set(KEPT, Tuple.of(run, position));
  }

  void failed(String run) {
    set(FAILED, Tuple.of(run));
  }

  void hydrating(String run) {
    set(HYDRATING, Tuple.of(run));
  }

  void erased(String run) {
    set(ERASED, Tuple.of(run));
  }

  /** Erased runs whose objects are still in the repository. */
  List<String> owed() {
    return runs(OWED, Tuple.tuple());
  }

  void paid(Collection<String> runs) {
    set(PAID, Tuple.tuple().addValue(runs.toArray(String[]::new)));
  }

  /** The position of the run's last stored event; 0 if there is none. */
  long position(String run) {
    return Await.get(pool.preparedQuery(POSITION).execute(Tuple.of(run)))
        .iterator()
        .next()
        .getLong(0);
  }

  /** Resets the attempts at a start: the cause of the failures may have been fixed. */
  void forgive() {
    Await.get(pool.query(FORGIVE).execute());
  }

  private void set(String statement, Tuple values) {
    Await.get(pool.preparedQuery(statement).execute(values));
  }

  private List<String> runs(String statement, Tuple values) {
    List<String> runs = new ArrayList<>();
    Await.get(pool.preparedQuery(statement).execute(values))
        .forEach(row -> runs.add(row.getString(0)));
    return runs;
  }
}
