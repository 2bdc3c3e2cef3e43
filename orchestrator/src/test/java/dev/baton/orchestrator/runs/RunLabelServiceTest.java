/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.QueryPlanReader;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.identity.ProjectScope;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceEvent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class RunLabelServiceTest {
  private static final Duration SQL = Duration.ofSeconds(30);

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;

  private String create(String workflow, String labels) {
    return bed.api()
        .json("/runs", "{\"workflow\":\"%s\",\"labels\":%s}".formatted(workflow, labels))
        .json()
        .get("id")
        .textValue();
  }

  private OrchestratorTestClient.Answer patch(String run, String body) {
    return bed.api()
        .send(
            bed.api()
                .request("/runs/" + run + "/labels")
                .header("Content-Type", "application/json")
                .method("PATCH", HttpRequest.BodyPublishers.ofString(body)));
  }

  private List<String> found(String query) {
    return bed.api()
        .get("/runs?" + query)
        .json()
        .get("runs")
        .valueStream()
        .map(run -> run.get("id").textValue())
        .toList();
  }

  @Test
  void shouldChangeLabelsAlsoOfAnEndedRunAndRecordThem() {
    bed.api().workflow("labels", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "labels", 1_000);
        TraceLog log = bed.log()) {
      String run = create("labels", "{\"a\":\"1\",\"b\":\"2\"}");
      runner.awaitAssign(run);
      log.append(
          run, Lane.runner(1), 1, new TraceEvent.RunnerStarted(runner.id(), 1L, "h", null, 0));

      assertThat(patch(run, "{\"a\":null,\"c\":\"3\"}").json().get("labels").toString())
          .isEqualTo("{\"b\":\"2\",\"c\":\"3\"}");
      assertThat(found("workflow=labels&label=b=2&label=c=3")).containsExactly(run);
      assertThat(found("workflow=labels&label=a=1")).isEmpty();
      log.append(run, Lane.runner(1), 2, new TraceEvent.RunFailed(null, Failure.of("x", "y")));
      bed.api().await(run, shown -> shown.get("status").textValue().equals("failed"));
      assertThat(patch(run, "{\"why\":\"flaky\"}").status()).isEqualTo(200);
      // Without a change no event is written.
      assertThat(patch(run, "{\"why\":\"flaky\",\"none\":null}").status()).isEqualTo(200);

      List<Map<String, String>> recorded =
          log
              .trace(
                  run,
                  trace ->
                      trace.stream()
                              .filter(r -> r.event() instanceof TraceEvent.LabelsChanged)
                              .count()
                          == 2)
              .stream()
              .map(record -> record.event())
              .filter(TraceEvent.LabelsChanged.class::isInstance)
              .map(event -> ((TraceEvent.LabelsChanged) event).labels())
              .toList();
      assertThat(recorded)
          .containsExactly(Map.of("b", "2", "c", "3"), Map.of("b", "2", "c", "3", "why", "flaky"));
      // The run then continues normally.
      runner.release(run, 1, "failed");
      assertThat(bed.api().json("/runs/" + run + "/resume", "").status()).isEqualTo(202);
      assertThat(runner.awaitAssign(run).getLabelsMap()).containsEntry("why", "flaky");
      bed.api().json("/runs/" + run + "/cancel", "{}");
    }
  }

  @Test
  void shouldRefuseLabelsThatAreNone() {
    bed.api().workflow("labels-bad", true);
    String run = create("labels-bad", "{}");
    StringBuilder many = new StringBuilder("{");
    for (int i = 0; i < 65; i++) {
      many.append(i == 0 ? "" : ",").append("\"k").append(i).append("\":\"v\"");
    }

    assertThat(patch(run, "{\"a=b\":\"1\"}").json().get("detail").textValue())
        .contains("label 'a=b' does not have an allowed name");
    assertThat(patch(run, "{\"a\":\"" + "x".repeat(257) + "\"}").status()).isEqualTo(400);
    assertThat(patch(run, many.append('}').toString()).json().get("detail").textValue())
        .contains("65 labels", "at most 64");
    assertThat(patch(run, "[1]").status()).isEqualTo(400);
    assertThat(bed.api().get("/runs?label=novalue").status()).isEqualTo(400);
    assertThat(bed.api().get("/runs?since=yesterday").json().get("detail").textValue())
        .contains("since=yesterday", "2h");
    assertThat(bed.api().json("/runs", "{\"workflow\":\"labels-bad\",\"priority\":101}").text())
        .contains("priority 101", "-100 to 100");
    bed.api().json("/runs/" + run + "/cancel", "{}");
  }

  @Test
  void shouldFilterByTimeAndBySeveralStatuses() throws Exception {
    bed.api().workflow("labels-time", true);
    String old = create("labels-time", "{}");
    Instant between = Instant.now().plusMillis(2);
    while (!Instant.now().isAfter(between.plusMillis(2))) {
      Thread.onSpinWait();
    }
    String young = create("labels-time", "{}");
    bed.api().json("/runs/" + old + "/cancel", "{}");
    bed.api().await(old, shown -> shown.get("status").textValue().equals("cancelled"));

    assertThat(found("workflow=labels-time&since=" + between)).containsExactly(young);
    assertThat(found("workflow=labels-time&until=" + between)).containsExactly(old);
    assertThat(found("workflow=labels-time&since=1h")).containsExactly(young, old);
    assertThat(found("workflow=labels-time&status=cancelled,lost")).containsExactly(old);
    assertThat(found("workflow=labels-time&status=cancelled&status=starting,pending"))
        .containsExactly(young, old);
    bed.api().json("/runs/" + young + "/cancel", "{}");
  }

  /** Among many other runs, for every filter. */
  @Test
  void shouldFindRunsByAnIndex() {
    sql(
        """
        INSERT INTO orchestrator.run (id, project, kind, workflow, isolation, labels, restart, created_at, epoch,
          control_seq, status, ended)
        SELECT '00000000000000000000' || lpad(i::text, 6, '0'), 'plans', 'managed', 'plan-' || i % 500, 'shared',
          jsonb_build_object('n', (i % 2000)::text), 'always', now(), 1, 1,
          CASE i % 1000 WHEN 0 THEN 'waiting' ELSE 'completed' END, true
        FROM generate_series(1, 20000) i""");
    sql("ANALYZE orchestrator.run");
    try {
      assertThat(plan(words(null, null, "n=7", null))).contains("run_by_label");
      assertThat(plan(words("waiting", null, null, null))).contains("run_by_status");
      assertThat(plan(words(null, "plan-3", null, null))).contains("run_by_workflow");
      assertThat(plan(words(null, null, null, "1h"))).contains("run_pkey");
      assertThat(plan(words(null, null, null, null))).contains("run_pkey");
    } finally {
      sql("DELETE FROM orchestrator.run WHERE project = 'plans'");
    }
  }

  private static RunQueryFilter words(
      @Nullable String status,
      @Nullable String workflow,
      @Nullable String label,
      @Nullable String since) {
    return RunQueryFilter.of(
        new RunQueryFilter.Words(
            status == null ? null : List.of(status),
            null,
            workflow,
            label == null ? null : List.of(label),
            since,
            null));
  }

  private String plan(RunQueryFilter filter) {
    List<Object> parameters = new ArrayList<>();
    String listing = RunQueryService.listing(filter, ProjectScope.ALL, null, 50, parameters);
    String plan = QueryPlanReader.of(pool, listing, Tuple.from(parameters));
    assertThat(plan.lines().filter(line -> line.contains("Seq Scan on run r"))).as(plan).isEmpty();
    return plan;
  }

  private void sql(String statement) {
    pool.query(statement).execute().await().atMost(SQL);
  }
}
