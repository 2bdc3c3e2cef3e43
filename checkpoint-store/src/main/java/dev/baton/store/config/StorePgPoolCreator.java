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
 * Creates the Postgres connection pool. The pool bounds the number of callers that wait for a
 * connection, and the callers bound their waiting time. The pool's own timer is not used: it also
 * fires for a wait that has already failed, and fills the log with errors while Postgres is
 * unavailable.
 *
 * <p>A caller that times out does not cancel its query, so the connection stays in use. Postgres
 * cancels statements that run longer than callers wait. A connection without any answer (the peer
 * is gone and no packet reports it) is closed.
 */
@Singleton
class StorePgPoolCreator implements PgPoolCreator {
  private static final int MOST_WAITING = 2_000;

  /** Shorter than the 30 s that callers wait. */
  private static final Duration LONGEST_STATEMENT = Duration.ofSeconds(25);

  /**
   * Longer than the pool's idle timeout, so that only a connection with a pending query is closed.
   */
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
