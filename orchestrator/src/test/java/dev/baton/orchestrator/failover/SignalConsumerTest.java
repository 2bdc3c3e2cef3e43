/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.signal.RunnerSignal;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Transaction;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that a signal that cannot be handled delays only its own run. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class SignalConsumerTest {
  private static final Duration SQL = Duration.ofSeconds(10);

  /** More than are handled at once. */
  private static final int STUCK = 40;

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  @Test
  void shouldFailOverARunWhileSignalsOfOthersCannotBeHandled() {
    bed.api().workflow("signals-stuck", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "signals-stuck", 200);
        TraceLog log = bed.log()) {
      List<String> stuck = new ArrayList<>();
      for (int i = 0; i < STUCK; i++) {
        stuck.add(create(runner));
      }
      String free = create(runner);
      for (String run : stuck) {
        bed.api().await(run, shown -> shown.get("status").textValue().equals("starting"));
      }
      SqlConnection other = pool.getConnection().await().atMost(SQL);
      try {
        Transaction holding = other.begin().await().atMost(SQL);
        other
            .preparedQuery("SELECT id FROM orchestrator.run WHERE id = ANY($1) FOR UPDATE")
            .execute(Tuple.of(stuck.toArray(String[]::new)))
            .await()
            .atMost(SQL);
        for (String run : stuck) {
          log.signal(missed(run, runner));
        }
        // Two of one run: the second is not handled before the first.
        log.signal(new RunnerSignal.RunnerExited(stuck.getFirst(), 1, runner.id(), 137));
        log.signal(missed(free, runner));

        assertThat(runner.awaitAssign(free).getEpoch()).isEqualTo(2);

        holding.rollback().await().atMost(SQL);
      } finally {
        other.closeAndForget();
      }
      Map<String, Integer> assigned = new HashMap<>();
      while (!assigned.keySet().containsAll(stuck)) {
        var assign = runner.await(m -> m.hasAssign()).getAssign();
        if (stuck.contains(assign.getRun())) {
          assertThat(assigned.put(assign.getRun(), assign.getEpoch())).isNull();
        }
      }
      assertThat(assigned.values()).containsOnly(2);
    }
  }

  private static RunnerSignal missed(String run, ScriptedRunner runner) {
    return new RunnerSignal.HeartbeatsMissed(run, 1, runner.id(), 3_000, 3_000);
  }

  private String create(ScriptedRunner runner) {
    String run =
        bed.api().json("/runs", "{\"workflow\":\"signals-stuck\"}").json().get("id").textValue();
    runner.awaitAssign(run);
    return run;
  }
}
