/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.QueryPlanReader;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class RunViewWriterTest {
  @Inject Pool pool;

  /** Checks the plan for a table without statistics. */
  @ParameterizedTest
  @ValueSource(strings = {RunViewWriter.MOVE, RunViewWriter.UPDATE_RUNS})
  void shouldReadOnlyTheRowsThatChange(String statement) {
    forgetSizes();
    String plan = QueryPlanReader.generic(pool, statement);

    assertThat(plan).contains("Nested Loop").contains("Index Cond");
    assertThat(plan).doesNotContain("Seq Scan", "Hash Join", "Merge Join");
  }

  /** Clears the statistics: for the few rows of these tests a sequential scan is as good. */
  private void forgetSizes() {
    pool.query(
            """
            SELECT pg_clear_relation_stats(schemaname, tablename)
            FROM pg_tables WHERE tablename IN ('run', 'projection_position')
            """)
        .execute()
        .await()
        .atMost(Duration.ofSeconds(10));
  }
}
