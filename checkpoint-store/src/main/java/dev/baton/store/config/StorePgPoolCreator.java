/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnectOptions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The pool of connections to Postgres. Waits for a connection are bounded by number here and by
 * time in the callers: the pool's own timer goes off even where the wait has failed, and fills the
 * log with errors for as long as Postgres is away.
 *
 * <p>A caller who stops waiting for an answer does not end the query, so its connection stays
 * taken. Postgres ends what takes longer than callers wait; a connection on which no answer comes
 * at all (its other end is gone, and no packet says so) is closed.
 */
@Singleton
class StorePgPoolCreator implements PgPoolCreator {
  private static final int MOST_WAITING = 2_000;

  /** Less than the 30 s that callers wait. */
  private static final Duration LONGEST_STATEMENT = Duration.ofSeconds(25);

  /** More than the pool's idle time, so that only a connection that is waited for is closed. */
  static final Duration LONGEST_SILENCE = Duration.ofSeconds(60);

  @Override
  public Pool create(Input input) {
    PoolOptions options =
        new PoolOptions(input.poolOptions())
            .setConnectionTimeout(0)
            .setMaxWaitQueueSize(MOST_WAITING);
    return PgBuilder.pool()
        .with(options)
        .connectingTo(
            input.pgConnectOptionsList().stream()
                .<SqlConnectOptions>map(each -> bounded(each, LONGEST_SILENCE))
                .toList())
        .using(input.vertx())
        .build();
  }

  static PgConnectOptions bounded(PgConnectOptions options, Duration silence) {
    PgConnectOptions bounded = new PgConnectOptions(options);
    bounded.setTcpKeepAlive(true);
    bounded.setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
    bounded.setReadIdleTimeout(Math.toIntExact(silence.toMillis()));
    bounded.addProperty("statement_timeout", Long.toString(LONGEST_STATEMENT.toMillis()));
    return bounded;
  }
}
