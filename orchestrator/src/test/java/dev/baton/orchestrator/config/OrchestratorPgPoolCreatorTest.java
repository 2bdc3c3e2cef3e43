/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class OrchestratorPgPoolCreatorTest {
  @Inject Pool pool;

  @Test
  void shouldBoundHowLongPostgresWorksOnAStatement() {
    var rows =
        pool.query("SHOW statement_timeout").execute().await().atMost(Duration.ofSeconds(10));

    assertThat(rows.iterator().next().getString(0)).isEqualTo("25s");
  }
}
