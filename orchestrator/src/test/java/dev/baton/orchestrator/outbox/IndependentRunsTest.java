/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.ScriptedRunner;
import dev.baton.orchestrator.testing.SelectiveProcessTerminator;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests that an effect that does not end delays only its own run. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class IndependentRunsTest {
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final int OTHERS = 50;

  /** Far below the 3 s for which one attempt to kill takes, and far above a launch. */
  private static final Duration LAUNCHED = Duration.ofMillis(1_500);

  @Inject OrchestratorTestEnvironment bed;
  @Inject Pool pool;
  @Inject OutboxRelay relay;
  @Inject SelectiveProcessTerminator terminator;

  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldLaunchOtherRunsWhileOneHasAProcessThatCannotBeKilled() throws Exception {
    bed.api().workflow("independent-kills", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "independent-kills", 200)) {
      String stuck = create("independent-kills");
      runner.awaitAssign(stuck);
      List<String> others = new ArrayList<>();
      for (int i = 0; i < OTHERS; i++) {
        String run = create("independent-kills");
        runner.awaitAssign(run);
        others.add(run);
      }
      long without = median(failOver(others, 2, runner));
      Process immortal = processOf(stuck);
      terminator.makeUnkillable(immortal.pid());
      try {
        List<String> all = new ArrayList<>(others);
        all.addFirst(stuck);

        Map<String, Long> assigned = failOver(all, others, 3, runner);

        assertThat(assigned.values())
            .as("milliseconds to the launch, without the process: median %d", without)
            .allSatisfy(millis -> assertThat(millis).isLessThan(LAUNCHED.toMillis()));
        assertThat(pending(stuck)).as("rows of the run that still kills").isOne();
      } finally {
        terminator.makeKillable(immortal.pid());
      }
      // Once its processes are dead, it is launched as well.
      assertThat(
              runner
                  .await(
                      m ->
                          m.hasAssign()
                              && m.getAssign().getRun().equals(stuck)
                              && m.getAssign().getEpoch() == 3)
                  .getAssign()
                  .getEpoch())
          .isEqualTo(3);
      assertThat(immortal.isAlive()).isFalse();
    }
  }

  @Test
  void shouldSendNoControlEventBeforeTheOneBeforeItIsAcknowledged() {
    bed.api().workflow("ordered-events", true);
    try (ScriptedRunner runner = new ScriptedRunner(bed.port(), "ordered-events", 10);
        TraceLog log = bed.log()) {
      String run = create("ordered-events");
      runner.awaitAssign(run);
      pool.preparedQuery("UPDATE orchestrator.run SET control_seq = 4 WHERE id = $1")
          .execute(Tuple.of(run))
          .await()
          .atMost(SQL);
      OutboxEffect first = labels("x".repeat(2 << 20), 3); // More than a record may have.
      OutboxEffect second = labels("second", 4);
      pool.withTransaction(
              tx -> OutboxWriter.appendNow(tx, new OutboxWriter.Row(run, List.of(first, second))))
          .await()
          .atMost(SQL);
      relay.wake();
      awaitAttempts(run, 2);

      // The first event can be sent now.
      pool.preparedQuery(
              "UPDATE orchestrator.outbox SET effects = $2 WHERE run = $1 AND attempts > 0")
          .execute(Tuple.of(run, OutboxWriter.write(List.of(labels("first", 3), second))))
          .await()
          .atMost(SQL);

      List<TraceRecord> trace =
          log.trace(
              run,
              all ->
                  all.stream().anyMatch(r -> r.id().seq() == 3)
                      && all.stream().anyMatch(r -> r.id().seq() == 4));
      assertThat(trace.stream().map(r -> r.id().seq())).containsExactly(1L, 2L, 3L, 4L);
      bed.api().json("/runs/" + run + "/cancel", "{}");
    }
  }

  private static OutboxEffect labels(String value, long seq) {
    return OutboxEffect.publish(
        new TraceEvent.LabelsChanged(Map.of("label", value), null), seq, Instant.now());
  }

  private String create(String workflow) {
    return bed.api()
        .json("/runs", "{\"workflow\":\"" + workflow + "\"}")
        .json()
        .get("id")
        .textValue();
  }

  private Map<String, Long> failOver(List<String> runs, int epoch, ScriptedRunner runner) {
    return failOver(runs, runs, epoch, runner);
  }

  /**
   * Moves all runs to the epoch in one batch of the outbox.
   *
   * @return by run: milliseconds until it was assigned, for the runs in {@code awaited}
   */
  private Map<String, Long> failOver(
      List<String> runs, List<String> awaited, int epoch, ScriptedRunner runner) {
    long start = System.nanoTime();
    pool.withTransaction(
            tx ->
                tx.preparedQuery(
                        """
                        UPDATE orchestrator.run SET epoch = $2, control_seq = control_seq + 1, runner_id = NULL
                        WHERE id = ANY($1) RETURNING id, control_seq""")
                    .execute(Tuple.of(runs.toArray(String[]::new), epoch))
                    .chain(
                        rows -> {
                          Map<String, Long> seqs = new HashMap<>();
                          rows.forEach(
                              row -> seqs.put(row.getString("id"), row.getLong("control_seq")));
                          return OutboxWriter.appendAll(
                              tx,
                              runs.stream()
                                  .map(
                                      run ->
                                          new OutboxWriter.Row(
                                              run,
                                              OutboxEffect.newEpoch(
                                                  epoch,
                                                  "runner_exited",
                                                  seqs.getOrDefault(run, 0L),
                                                  Instant.now())))
                                  .toList());
                        }))
        .await()
        .atMost(SQL);
    relay.wake();
    Map<String, Long> assigned = new HashMap<>();
    while (assigned.size() < awaited.size()) {
      var assign =
          runner.await(m -> m.hasAssign() && m.getAssign().getEpoch() == epoch).getAssign();
      if (awaited.contains(assign.getRun())) {
        assigned.put(assign.getRun(), Duration.ofNanos(System.nanoTime() - start).toMillis());
      }
    }
    return assigned;
  }

  private static long median(Map<String, Long> millis) {
    return millis.values().stream().sorted().skip(millis.size() / 2).findFirst().orElseThrow();
  }

  private static Process processOf(String run) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", "exec sleep 600");
    builder.environment().putAll(Map.of("BATON_RUN_ID", run, "BATON_EPOCH", "1"));
    builder.redirectErrorStream(true).redirectOutput(new File("/dev/null"));
    return builder.start();
  }

  private long pending(String run) {
    return pool.preparedQuery("SELECT count(*) FROM orchestrator.outbox WHERE run = $1")
        .execute(Tuple.of(run))
        .await()
        .atMost(SQL)
        .iterator()
        .next()
        .getLong(0);
  }

  private void awaitAttempts(String run, int attempts) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (true) {
      long tried =
          pool.preparedQuery(
                  "SELECT COALESCE(max(attempts), 0) AS n FROM orchestrator.outbox WHERE run = $1 AND effects LIKE '%labels_changed%'")
              .execute(Tuple.of(run))
              .await()
              .atMost(SQL)
              .iterator()
              .next()
              .getInteger("n");
      if (tried >= attempts) {
        return;
      }
      assertThat(System.nanoTime()).as("attempts of run %s: %d", run, tried).isLessThan(end);
      java.util.concurrent.locks.LockSupport.parkNanos(20_000_000);
    }
  }
}
