/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class CreationTest {
  @Inject OrchestratorTestEnvironment bed;

  @Test
  void shouldWriteTheTraceAndAssignWhenARunIsCreated() {
    bed.api().workflow("create-one", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "create-one-runner", 10);
        TraceLog log = bed.log()) {
      OrchestratorTestClient.Answer created =
          bed.api()
              .json(
                  "/runs",
                  "{\"workflow\":\"create-one\",\"input\":{\"a\":1},\"labels\":{\"k\":\"v\"}}");

      assertThat(created.status()).isEqualTo(201);
      String run = created.json().get("id").textValue();
      assertThat(created.raw().headers().firstValue("Location").orElse(""))
          .endsWith("/runs/" + run);
      Assign assign = runner.awaitAssign(run);
      assertThat(assign.getFresh()).isTrue();
      assertThat(assign.getInput().toStringUtf8()).isEqualTo("{\"a\":1}");
      assertThat(assign.getLease()).as("calls to the store need it").isNotEmpty();
      List<TraceRecord> trace = log.trace(run, events -> events.size() >= 2);
      assertThat(trace.getFirst().event()).isInstanceOf(TraceEvent.RunCreated.class);
      assertThat(trace.get(1).event()).isEqualTo(new TraceEvent.RunnerAssigned(1, null, "start"));
      JsonNode starting =
          bed.api().await(run, shown -> shown.get("status").textValue().equals("starting"));
      assertThat(starting.at("/runner/id").textValue()).isEqualTo("create-one-runner");

      log.append(
          run,
          Lane.runner(1),
          1,
          new TraceEvent.RunnerStarted("create-one-runner", 7L, "h", null, 0));
      log.append(run, Lane.runner(1), 2, new TraceEvent.RunCompleted(null));
      JsonNode done =
          bed.api().await(run, shown -> shown.get("status").textValue().equals("completed"));
      assertThat(done.get("ended_at")).isNotNull();
    }
  }

  @Test
  void shouldAssignTwoHundredRunsThatAreCreatedAtOnce() {
    bed.api().workflow("create-many", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "create-many-runner", 1_000)) {
      long start = System.nanoTime();
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        answers.add(bed.api().later("/runs", "{\"workflow\":\"create-many\"}"));
      }
      answers.forEach(answer -> assertThat(answer.join().statusCode()).isEqualTo(201));
      long created = System.nanoTime();
      Set<String> assigned = new HashSet<>();
      while (assigned.size() < 200) {
        assigned.add(runner.await(m -> m.hasAssign()).getAssign().getRun());
      }
      long done = System.nanoTime();
      System.out.printf(
          "200 runs created in %d ms, all assigned after %d ms%n",
          (created - start) / 1_000_000, (done - start) / 1_000_000);
    }
  }
}
