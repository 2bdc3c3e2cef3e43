/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Tests which requests wait for the outbox and which do not. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class OutboxRelayTest {
  private static final Duration SQL = Duration.ofSeconds(5);

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;
  @Inject OutboxCompletions awaited;

  private String create(String workflow) {
    return bed.api()
        .json("/runs", "{\"workflow\":\"" + workflow + "\"}")
        .json()
        .get("id")
        .textValue();
  }

  private long owed(List<String> runs) {
    return pool.preparedQuery(
            "SELECT count(DISTINCT run) AS n FROM orchestrator.outbox WHERE run = ANY($1)")
        .execute(Tuple.of(runs.toArray(String[]::new)))
        .await()
        .atMost(SQL)
        .iterator()
        .next()
        .getLong("n");
  }

  @Test
  void shouldAnswerForAnExternalRunWhenItsProgramMaySend() throws Exception {
    String run = RunId.next();
    // Holds the run's lock like a worker that has not performed the row yet.
    SqlConnection worker = pool.getConnection().await().atMost(SQL);
    try (TraceLog log = bed.log()) {
      CompletableFuture<HttpResponse<String>> answer;
      worker
          .preparedQuery("SELECT pg_advisory_lock(hashtextextended($1, $2))")
          .execute(Tuple.of(run, OutboxRelay.LOCK_SPACE))
          .await()
          .atMost(SQL);
      try {
        answer = bed.api().later("/runs", "{\"kind\":\"external\",\"id\":\"" + run + "\"}");
        bed.api().await(run, shown -> shown.get("status").textValue().equals("pending"));

        assertThatThrownBy(() -> answer.get(1, TimeUnit.SECONDS))
            .isInstanceOf(TimeoutException.class);
      } finally {
        worker.query("SELECT pg_advisory_unlock_all()").execute().await().atMost(SQL);
      }
      assertThat(answer.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(201);
      log.append(run, Lane.runner(1), 1, new TraceEvent.RunnerStarted("r", 7L, "h", null, 0));
      log.append(run, Lane.runner(1), 2, new TraceEvent.RunCompleted(null));
      JsonNode done =
          bed.api().await(run, shown -> shown.get("status").textValue().equals("completed"));
      assertThat(done.get("fenced").asInt()).isZero();
    } finally {
      worker.closeAndForget();
    }
  }

  @Test
  void shouldSeeWhatAnotherReplicaHasDoneThoughAnotherCallerHasGivenUp() throws Exception {
    String run = RunId.next();
    pool.preparedQuery(
            "INSERT INTO orchestrator.outbox (run, effects, not_before) VALUES ($1, '[]', now() + interval '1 hour')")
        .execute(Tuple.of(run))
        .await()
        .atMost(SQL);
    CompletableFuture<Void> patient =
        awaited.firstDone(List.of(run), Duration.ofSeconds(20)).subscribeAsCompletionStage();

    assertThatThrownBy(
            () ->
                awaited
                    .firstDone(List.of(run), Duration.ofMillis(200))
                    .await()
                    .atMost(Duration.ofSeconds(20)))
        .isInstanceOf(io.smallrye.mutiny.TimeoutException.class);

    assertThat(patient).isNotDone();
    pool.preparedQuery("DELETE FROM orchestrator.outbox WHERE run = $1")
        .execute(Tuple.of(run))
        .await()
        .atMost(SQL);
    patient.get(60, TimeUnit.SECONDS);
  }

  @Test
  void shouldStartRunsWhileOthersTakeTheirTimeToStop() {
    bed.api().workflow("relay-stops", false);
    bed.api().workflow("relay-starts", true);
    List<String> stopping = new ArrayList<>();
    // More than the number of outbox workers.
    for (int i = 0; i < 6; i++) {
      stopping.add(create("relay-stops"));
    }
    stopping.forEach(
        run -> bed.api().await(run, shown -> shown.at("/runner/id").asText().equals(run + "-1")));
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "relay-starts", 10)) {
      stopping.forEach(
          run ->
              assertThat(bed.api().json("/runs/" + run + "/cancel", "{}").status()).isEqualTo(202));
      stopping.forEach(
          run ->
              bed.api().await(run, shown -> shown.get("status").textValue().equals("cancelled")));

      String run = create("relay-starts");

      runner.awaitAssign(run);
      assertThat(owed(stopping)).isEqualTo(stopping.size());
    }
  }
}
