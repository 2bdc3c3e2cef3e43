/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.startup;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.config.StoreConfig;
import dev.baton.store.objects.BucketClient;
import dev.baton.store.testing.StoreTest;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Identifier;
import io.vertx.core.Vertx;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@QuarkusTest
class StoreBootstrapTest extends StoreTest {
  @Inject Vertx vertx;
  @Inject StoreConfig config;
  @Inject BucketClient bucket;

  @Inject
  @Identifier("default-kafka-broker")
  Map<String, Object> kafka;

  @Test
  void shouldRefuseAPostgresThatLosesAcknowledgedTransactions() throws Exception {
    assertThatThrownBy(() -> start("off"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Postgres: synchronous_commit is off: a crash of Postgres loses transactions that it"
                + " has acknowledged. Set synchronous_commit=on for the server, the database and"
                + " the role of baton.db.user; for data that may be lost set"
                + " baton.postgres.allow-unsafe=true");
  }

  @Test
  void shouldAcceptAPostgresThatWaitsForTheLocalDiskOnly() {
    assertThatCode(() -> start("local")).doesNotThrowAnyException();
  }

  private void start(String synchronousCommit) throws Exception {
    StoreConfig.Db db = config.db();
    PgConnectOptions options =
        new PgConnectOptions()
            .setHost(db.host())
            .setPort(db.port())
            .setDatabase(db.name())
            .setUser(db.user())
            .setPassword(db.password())
            .addProperty("synchronous_commit", synchronousCommit);
    io.vertx.sqlclient.Pool pool =
        PgBuilder.pool()
            .with(new PoolOptions().setMaxSize(1))
            .connectingTo(options)
            .using(vertx)
            .build();
    try {
      new StoreBootstrap(kafka, bucket, Pool.newInstance(pool), config).onStart(new StartupEvent());
    } finally {
      pool.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }
}
