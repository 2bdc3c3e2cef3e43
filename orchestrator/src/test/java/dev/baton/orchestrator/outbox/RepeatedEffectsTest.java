/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A crash after any effect leaves the row unchanged, so its effects are performed again from the
 * first. Each test inserts such a row: a copy of a completed one.
 */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class RepeatedEffectsTest {
  private static final Duration SQL = Duration.ofSeconds(10);

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;
  @Inject OutboxRelay relay;

  @Test
  void shouldNotAssignTwiceWhenACreationIsRepeated() {
    bed.api().workflow("repeat-shared", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "repeat-runner", 10);
        TraceLog log = bed.log()) {
      String run = create("repeat-shared");
      runner.awaitAssign(run);
      List<TraceRecord> before = log.trace(run, trace -> trace.size() >= 2);

      repeat(run, before, new OutboxEffect.Launch(1));

      List<TraceRecord> after = log.trace(run, trace -> trace.size() >= 4);
      assertThat(after.stream().map(r -> r.id().toString()).distinct()).hasSize(2);
      awaitDone(run);
      assertThat(runner.waiting()).isZero();
    }
  }

  @Test
  void shouldNotStartASecondProcessWhenALaunchIsRepeated() {
    bed.api().workflow("repeat-isolated", false);
    try (TraceLog log = bed.log()) {
      String run = create("repeat-isolated");
      List<TraceRecord> before = log.trace(run, trace -> trace.size() >= 2);
      awaitDone(run);
      long pid = pid(run);

      repeat(run, before, new OutboxEffect.Kill(1), new OutboxEffect.Launch(1));
      awaitDone(run);

      assertThat(pid(run)).isEqualTo(pid);
      assertThat(ProcessHandle.of(pid).map(ProcessHandle::isAlive)).contains(true);
      bed.api().json("/runs/" + run + "/cancel", "{}");
      awaitDone(run);
      assertThat(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)).isFalse();
    }
  }

  @Test
  void shouldFindTheProcessThatACrashedLaunchHasStarted() {
    bed.api().workflow("repeat-crash", false);
    String run = create("repeat-crash");
    awaitDone(run);
    long pid = pid(run);
    // As after a crash between the start of the process and the record of its pid.
    pool.preparedQuery(
            "UPDATE orchestrator.runner SET state = 'starting', pid = NULL, started_at_ms = NULL WHERE run = $1")
        .execute(Tuple.of(run))
        .await()
        .atMost(SQL);

    repeat(run, List.of(), new OutboxEffect.Launch(1));
    awaitDone(run);

    assertThat(pid(run)).isEqualTo(pid);
    bed.api().json("/runs/" + run + "/cancel", "{}");
    awaitDone(run);
  }

  @Test
  void shouldDoTheRowsOfARunInOrder() {
    bed.api().workflow("repeat-order", true);
    String run = create("repeat-order");
    try (TraceLog log = bed.log()) {
      // The launch may or may not have found a slot yet; the cancellation is after it in both
      // cases.
      bed.api().json("/runs/" + run + "/cancel", "{}");

      List<TraceRecord> trace =
          log.trace(
              run, t -> t.stream().anyMatch(r -> r.event() instanceof TraceEvent.RunCancelled));

      assertThat(trace.stream().map(r -> r.id().seq())).containsExactly(1L, 2L, 3L);
      bed.api().await(run, shown -> shown.get("status").textValue().equals("cancelled"));
    }
  }

  @Test
  void shouldSendAnAssignmentThatWasChosenAndNotSent() {
    bed.api().workflow("repeat-chosen", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "repeat-chosen-runner", 1);
        TraceLog log = bed.log()) {
      String first = create("repeat-chosen");
      runner.awaitAssign(first);
      String second = create("repeat-chosen");
      log.trace(second, trace -> trace.size() >= 2);
      pool.preparedQuery("UPDATE orchestrator.run SET runner_id = $2 WHERE id = $1")
          .execute(Tuple.of(second, runner.id()))
          .await()
          .atMost(SQL);
      runner.release(first, 1, "completed");
      assertThat(runner.awaitAssign(second).getEpoch()).isEqualTo(1);
    }
  }

  @Test
  void shouldGoOnWhileARowCannotBeRead() {
    bed.api().workflow("repeat-broken", true);
    pool.query(
            "INSERT INTO orchestrator.outbox (run, effects) VALUES ('absent', '[{\"do\":\"dance\"}]')")
        .execute()
        .await()
        .atMost(SQL);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "repeat-broken-runner", 10)) {
      String run = create("repeat-broken");
      assertThat(runner.awaitAssign(run).getEpoch()).isEqualTo(1);
    } finally {
      pool.query("DELETE FROM orchestrator.outbox WHERE run = 'absent'")
          .execute()
          .await()
          .atMost(SQL);
    }
  }

  private String create(String workflow) {
    return bed.api()
        .json("/runs", "{\"workflow\":\"" + workflow + "\"}")
        .json()
        .get("id")
        .textValue();
  }

  private void repeat(String run, List<TraceRecord> events, OutboxEffect... others) {
    List<OutboxEffect> effects = new java.util.ArrayList<>();
    for (TraceRecord record : events) {
      effects.add(
          OutboxEffect.publish(
              (TraceEvent.Control) record.event(), record.id().seq(), Instant.now()));
    }
    effects.addAll(List.of(others));
    pool.withTransaction(tx -> OutboxWriter.appendNow(tx, new OutboxWriter.Row(run, effects)))
        .await()
        .atMost(SQL);
    relay.wake();
  }

  private void awaitDone(String run) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (true) {
      long rows =
          pool.preparedQuery("SELECT count(*) AS n FROM orchestrator.outbox WHERE run = $1")
              .execute(Tuple.of(run))
              .await()
              .atMost(SQL)
              .iterator()
              .next()
              .getLong("n");
      if (rows == 0) {
        return;
      }
      assertThat(System.nanoTime()).as("outbox rows of " + run).isLessThan(end);
      java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
    }
  }

  private long pid(String run) {
    JsonNode runners =
        bed.api()
            .await(
                "/runners",
                "runner of " + run,
                all -> all.get("runners").valueStream().anyMatch(r -> isOf(r, run)));
    return runners
        .get("runners")
        .valueStream()
        .filter(r -> isOf(r, run))
        .findFirst()
        .orElseThrow()
        .get("pid")
        .longValue();
  }

  private static boolean isOf(JsonNode runner, String run) {
    return run.equals(runner.path("run").textValue())
        && runner.path("state").textValue().equals("running");
  }
}
