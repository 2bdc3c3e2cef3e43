/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.QueryPlanReader;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that write many runs lock them in the order of their ids. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class LaunchLockOrderTest {
  @Inject Pool pool;

  @ParameterizedTest
  @ValueSource(strings = {RunLauncher.ASSIGN, LaunchWaitRepository.WAITING})
  void shouldLockRunsInTheOrderOfTheirIds(String statement) {
    String plan = QueryPlanReader.generic(pool, statement);

    String locked = plan.substring(plan.indexOf("CTE locked"));
    assertThat(locked).containsSubsequence("LockRows", "Sort", "Sort Key: r");
    // The update joins with the locked rows: it cannot lock another one, or one of them earlier.
    assertThat(locked).contains("CTE Scan on locked");
  }
}
