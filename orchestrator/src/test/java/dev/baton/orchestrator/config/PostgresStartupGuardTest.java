/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.Vertx;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import jakarta.inject.Inject;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class PostgresStartupGuardTest {
  @Inject Vertx vertx;
  @Inject OrchestratorConfig config;

  @Test
  void shouldRefuseAPostgresThatLosesAcknowledgedTransactions() {
    assertThatThrownBy(() -> start("off"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("synchronous_commit is off")
        .hasMessageContaining("baton.postgres.allow-unsafe=true");
  }

  @Test
  void shouldAcceptAPostgresThatWaitsForTheLocalDiskOnly() {
    assertThatCode(() -> start("local")).doesNotThrowAnyException();
  }

  private void start(String synchronousCommit) throws Exception {
    OrchestratorConfig.Database db = config.db();
    PgConnectOptions options =
        new PgConnectOptions()
            .setHost(db.host())
            .setPort(db.port())
            .setDatabase(db.databaseName())
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
      new PostgresStartupGuard(Pool.newInstance(pool), config).onStart(new StartupEvent());
    } finally {
      pool.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }
}
