/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Waits for the outbox effects of runs, on any replica. Thread-safe. */
@ApplicationScoped
public class OutboxCompletions {
  /** Polling interval: another replica does not notify this one of its completed effects. */
  private static final Duration LOOK = Duration.ofMillis(500);

  private final Pool pool;
  private final Map<String, CompletableFuture<Void>> runs = new ConcurrentHashMap<>();

  OutboxCompletions(Pool pool) {
    this.pool = pool;
  }

  /**
   * Completes when the first pending row of each run is done, at the latest when none is pending.
   *
   * @return fails with {@link io.smallrye.mutiny.TimeoutException} when that takes longer than
   *     {@code most}
   */
  public Uni<Void> firstDone(Collection<String> to, Duration most) {
    return to.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.createFrom().deferred(() -> join(Set.copyOf(to), most));
  }

  /** Notifies the waiters of these rows, whose effects are done and committed. */
  void done(Collection<ClaimedOutboxRow> rows) {
    for (ClaimedOutboxRow row : rows) {
      CompletableFuture<Void> waiting = runs.remove(row.run());
      if (waiting != null) {
        waiting.complete(null);
      }
    }
  }

  private Uni<Void> join(Set<String> to, Duration most) {
    Map<String, CompletableFuture<Void>> mine = new HashMap<>();
    to.forEach(run -> mine.put(run, runs.computeIfAbsent(run, r -> new CompletableFuture<>())));
    CompletableFuture<Void> all =
        CompletableFuture.allOf(mine.values().toArray(CompletableFuture[]::new));
    return look(mine, all).ifNoItem().after(most).fail().onTermination().invoke(() -> leave(mine));
  }

  /**
   * Registered before the query: a row that completes later completes the future, one that
   * completed earlier is missing from the result.
   */
  private Uni<Void> look(Map<String, CompletableFuture<Void>> mine, CompletableFuture<Void> all) {
    return pool.preparedQuery("SELECT DISTINCT run FROM orchestrator.outbox WHERE run = ANY($1)")
        .execute(Tuple.of(mine.keySet().toArray(String[]::new)))
        .chain(
            rows -> {
              Map<String, CompletableFuture<Void>> done = new HashMap<>(mine);
              for (Row row : rows) {
                done.remove(row.getString("run"));
              }
              done.values().forEach(future -> future.complete(null));
              return Uni.createFrom()
                  .completionStage(all::copy)
                  .ifNoItem()
                  .after(LOOK)
                  .recoverWithUni(() -> look(mine, all));
            });
  }

  /** Other waiters for the same run find out with their next poll. */
  private void leave(Map<String, CompletableFuture<Void>> mine) {
    mine.forEach(runs::remove);
  }
}
