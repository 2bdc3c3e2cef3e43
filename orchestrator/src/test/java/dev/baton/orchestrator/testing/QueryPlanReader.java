/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Reads how Postgres would execute a statement. */
public final class QueryPlanReader {
  private static final Duration BOUND = Duration.ofSeconds(30);

  private QueryPlanReader() {}

  /** Returns the plan of a statement with parameters, for any values of them. */
  public static String generic(Pool pool, String statement) {
    return text(pool.query("EXPLAIN (GENERIC_PLAN) " + statement).execute());
  }

  /** Returns the plan of a statement for these values of its parameters. */
  public static String of(Pool pool, String statement, Tuple parameters) {
    return text(pool.preparedQuery("EXPLAIN " + statement).execute(parameters));
  }

  private static String text(Uni<RowSet<Row>> plan) {
    return StreamSupport.stream(plan.await().atMost(BOUND).spliterator(), false)
        .map(row -> row.getString(0))
        .collect(Collectors.joining("\n"));
  }
}
