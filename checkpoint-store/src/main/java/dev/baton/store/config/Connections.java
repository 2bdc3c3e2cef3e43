/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnectOptions;
import jakarta.inject.Singleton;
import java.util.List;

/**
 * The pool of connections to Postgres. Waits for a connection are bounded by number here and by
 * time in the callers: the pool's own timer goes off even where the wait has failed, and fills the
 * log with errors for as long as Postgres is away.
 */
@Singleton
class Connections implements PgPoolCreator {
  private static final int MOST_WAITING = 2_000;

  @Override
  public Pool create(Input input) {
    PoolOptions options =
        new PoolOptions(input.poolOptions())
            .setConnectionTimeout(0)
            .setMaxWaitQueueSize(MOST_WAITING);
    return PgBuilder.pool()
        .with(options)
        .connectingTo(List.<SqlConnectOptions>copyOf(input.pgConnectOptionsList()))
        .using(input.vertx())
        .build();
  }
}
