/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.sink.testkit.BatchHandlerKit;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowIterator;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The view's handler keeps what the trace sink needs of each handler. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class ProjectedBatchHandlerTest {
  @Inject TraceProjection handler;
  @Inject ProjectionPositionRepository positions;
  @Inject Pool pool;

  private BatchHandlerKit kit(int partition) {
    return new BatchHandlerKit(handler, positions, this::completed, partition);
  }

  @Test
  void shouldApplyARepeatedBatchOnce() {
    kit(3_000).appliesARepeatedBatchOnce();
  }

  @Test
  void shouldApplyACutBatchInParts() {
    kit(3_010).appliesACutBatchInParts();
  }

  @Test
  void shouldApplyNothingOfABatchWhosePositionMoved() {
    kit(3_020).appliesNothingOfABatchWhosePositionMoved();
  }

  private long completed(String run) {
    RowIterator<Row> rows =
        pool.preparedQuery("SELECT completed FROM orchestrator.run WHERE id = $1")
            .execute(Tuple.of(run))
            .await()
            .atMost(Duration.ofSeconds(10))
            .iterator();
    return rows.hasNext() ? rows.next().getLong(0) : 0;
  }
}
