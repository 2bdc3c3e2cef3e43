/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.events;

import dev.baton.protocol.trace.EventId;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.trace.StoredEventNotifier;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Delays a response until the store has the events that the reader has already seen. The
 * orchestrator reads the same log independently and may be ahead after an outage of this service or
 * of Postgres. Without the guard a run could be shown as completed while one of its steps is not.
 * Thread-safe.
 */
@ApplicationScoped
public class ReadYourWritesGuard {
  /** How long a response is delayed at most. */
  public static final Duration PATIENCE = Duration.ofSeconds(3);

  /** Maximum number of events that one reader may name. */
  public static final int MOST = 16;

  private static final String STORED =
      """
      SELECT count(*) FROM unnest($2::int[], $3::bigint[]) AS seen (lane, seq)
      JOIN store.event AS e ON e.run = $1 AND e.lane = seen.lane AND e.seq = seen.seq""";

  private final Pool pool;
  private final StoredEventNotifier wakeups;

  ReadYourWritesGuard(Pool pool, StoredEventNotifier wakeups) {
    this.pool = pool;
    this.wakeups = wakeups;
  }

  /**
   * Completes when all of these events are stored; fails with {@link
   * StoreRequestException.Kind#NOT_YET} after {@link #PATIENCE}.
   *
   * @param seen distinct events of this run; if empty, the wait completes at once
   */
  public Uni<Void> await(String run, List<EventId> seen) {
    if (seen.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return wakeups
        .await(run, PATIENCE, () -> look(run, seen))
        .map(
            stored ->
                stored.orElseThrow(
                    () ->
                        StoreRequestException.notYet(
                            "events %s: not all were stored within %d ms; retry later"
                                .formatted(seen, PATIENCE.toMillis()))))
        .replaceWithVoid();
  }

  private Uni<Optional<Boolean>> look(String run, List<EventId> seen) {
    return pool.preparedQuery(STORED)
        .execute(
            Tuple.of(
                run,
                seen.stream().map(id -> id.lane().epoch()).toArray(Integer[]::new),
                seen.stream().map(EventId::seq).toArray(Long[]::new)))
        .ifNoItem()
        .after(PATIENCE)
        .fail()
        .map(rows -> rows.iterator().next().getLong(0) == seen.size())
        .map(all -> all ? Optional.of(true) : Optional.empty());
  }
}
