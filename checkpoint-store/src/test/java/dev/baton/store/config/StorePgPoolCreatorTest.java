/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TcpRelay;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@QuarkusTest
class StorePgPoolCreatorTest extends StoreTest {
  @Inject Vertx vertx;
  @Inject StoreConfig config;
  @Inject io.vertx.mutiny.sqlclient.Pool pool;

  @Test
  void shouldLetPostgresEndWhatNobodyWaitsFor() {
    assertThat(
            pool.query("SHOW statement_timeout")
                .execute()
                .await()
                .indefinitely()
                .iterator()
                .next()
                .getString(0))
        .isEqualTo("25s");
  }

  @Test
  void shouldCloseAConnectionOnWhichNothingComes() throws Exception {
    StoreConfig.Db db = config.db();
    try (TcpRelay relay = new TcpRelay(db.host(), db.port())) {
      PgConnectOptions options =
          new PgConnectOptions()
              .setHost("127.0.0.1")
              .setPort(relay.port())
              .setDatabase(db.name())
              .setUser(db.user())
              .setPassword(db.password());
      Pool one =
          PgBuilder.pool()
              .with(new PoolOptions().setMaxSize(1))
              .connectingTo(StorePgPoolCreator.bounded(options, Duration.ofSeconds(1)))
              .using(vertx.getDelegate())
              .build();
      assertThat(ask(one)).isEqualTo(1);

      relay.swallow(true);
      assertThatThrownBy(() -> ask(one)).isInstanceOf(ExecutionException.class);
      relay.swallow(false);

      assertThat(askAgain(one)).isEqualTo(1);
      one.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }

  /** Retries, since the pool may return the closed connection once more before it notices. */
  private static int askAgain(Pool pool) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return ask(pool);
      } catch (ExecutionException e) {
        if (attempt == 10) {
          throw e;
        }
      }
    }
  }

  private static int ask(Pool pool) throws Exception {
    Row row =
        pool.query("SELECT 1")
            .execute()
            .toCompletionStage()
            .toCompletableFuture()
            .get(20, TimeUnit.SECONDS)
            .iterator()
            .next();
    return row.getInteger(0);
  }
}
