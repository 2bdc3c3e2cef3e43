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
 * Holds a reader's answer until the store has the events that the reader has already seen: the
 * orchestrator reads the same log by itself, and may be further when this service or its database
 * was away. Without it a run could be shown as completed with a step that is not. Thread-safe.
 */
@ApplicationScoped
public class ReadYourWritesGuard {
  /** How long an answer waits. */
  public static final Duration PATIENCE = Duration.ofSeconds(3);

  /** Events that one reader may name. */
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
   * Completes when all of these are stored; fails with {@link StoreRequestException.Kind#NOT_YET}
   * after {@link #PATIENCE}.
   *
   * @param seen events of this run, without doubles; none to wait for nothing
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
                            "of the events %s not all were stored within %d ms; ask again"
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
