/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import dev.baton.store.failure.StoreFailure;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;

/** Which epoch holds a run, as far as the log is stored. Thread-safe. */
@ApplicationScoped
public class Holder {
  static final String NEWEST =
      """
      SELECT max((convert_from(data, 'UTF8')::json ->> 'epoch')::integer) FROM store.event
      WHERE run = $1 AND lane = 0 AND type = 'dev.baton.runner_assigned'""";

  private final Pool pool;

  Holder(Pool pool) {
    this.pool = pool;
  }

  /**
   * Fails with FENCED when a newer epoch was assigned. One that is not stored yet passes.
   *
   * @param epoch of the runner that asks; 0 for anyone else
   */
  public Uni<Void> require(String run, int epoch) {
    if (epoch == 0) {
      return Uni.createFrom().voidItem();
    }
    return pool.preparedQuery(NEWEST)
        .execute(Tuple.of(run))
        .invoke(
            rows -> {
              Integer newest = rows.iterator().next().getInteger(0);
              if (newest != null && newest > epoch) {
                throw StoreFailure.fenced(
                    "epoch %d of run %s is fenced: epoch %d was assigned"
                        .formatted(epoch, run, newest));
              }
            })
        .replaceWithVoid();
  }
}
