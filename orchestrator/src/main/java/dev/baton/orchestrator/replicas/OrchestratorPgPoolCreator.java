/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.replicas;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.mutiny.pgclient.PgConnection;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Creates the configured pool, and single connections outside of it: a connection that listens or
 * holds a lock must not be returned to the pool. Thread-safe.
 */
@Singleton
public class OrchestratorPgPoolCreator implements PgPoolCreator {
  private record Known(Vertx vertx, PgConnectOptions options) {}

  private volatile @Nullable Known known;

  @Override
  public Pool create(Input input) {
    List<PgConnectOptions> options = input.pgConnectOptionsList();
    known = new Known(input.vertx(), new PgConnectOptions(options.getFirst()));
    return PgBuilder.pool()
        .with(input.poolOptions())
        .connectingTo(List.copyOf(options))
        .using(input.vertx())
        .build();
  }

  /** Opens a connection outside the pool; the caller closes it. */
  Uni<PgConnection> single() {
    Known now = Objects.requireNonNull(known, "the pool is created first");
    return PgConnection.connect(new io.vertx.mutiny.core.Vertx(now.vertx()), now.options());
  }
}
