/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.failover;

import dev.baton.orchestrator.projection.ProjectionBarrier;
import dev.baton.orchestrator.publish.KafkaEventPublisher;
import dev.baton.orchestrator.reconcile.RunObservation;
import dev.baton.orchestrator.reconcile.RunOutcome;
import dev.baton.orchestrator.reconcile.RunPlan;
import dev.baton.orchestrator.reconcile.RunPlanner;
import dev.baton.orchestrator.reconcile.RunTransaction;
import dev.baton.protocol.signal.RunnerSignal;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Publishes to the signals topic that runs have lost their runner. The signal goes through Kafka
 * since any replica may handle it, not only this one.
 */
@ApplicationScoped
public class RunnerExitPublisher {
  private static final Logger LOG = Logger.getLogger(RunnerExitPublisher.class);
  private static final Duration SQL = Duration.ofSeconds(10);
  private static final Duration CATCH_UP = Duration.ofSeconds(30);
  private static final Duration SEND = Duration.ofSeconds(35);

  private record Open(String run, int epoch) {}

  private final Pool pool;
  private final KafkaEventPublisher publisher;
  private final ProjectionBarrier catchUp;
  private final RunTransaction runs;

  RunnerExitPublisher(
      Pool pool, KafkaEventPublisher publisher, ProjectionBarrier catchUp, RunTransaction runs) {
    this.runs = runs;
    this.pool = pool;
    this.publisher = publisher;
    this.catchUp = catchUp;
  }

  /**
   * Publishes the exit of a runner process for every open run assigned to it. Blocks until the
   * signals are on the log.
   *
   * @param exitCode null when unknown
   */
  public void exited(String runner, @Nullable Integer exitCode) {
    List<Open> open = open(runner);
    if (!open.isEmpty() && (exitCode == null || exitCode == 0)) {
      // It reports finished work, or its exit code is unknown: its last events must be read first.
      catchUp.await(open.stream().map(Open::run).toList(), CATCH_UP);
      open = open(runner);
    }
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (Open run : open) {
      LOG.infof("run %s: epoch %d has lost its runner %s", run.run(), run.epoch(), runner);
      sent.add(
          publisher.signal(
              new RunnerSignal.RunnerExited(run.run(), run.epoch(), runner, exitCode)));
    }
    CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
        .orTimeout(SEND.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /** Publishes that a live runner has lost this run. Returns at once. */
  public void lostByRunner(String run, int epoch, String runner) {
    released(run, new RunObservation.RunnerReleased(runner, epoch, "stopped", null));
  }

  /**
   * Publishes that a runner has released this run, if the run still needs one when the projection
   * has read the run's trace. Returns at once; reads nothing for runs that their runner has ended.
   */
  public void released(String run, RunObservation.RunnerReleased released) {
    if (!RunPlanner.mayNeedAnotherRunner(run, released)) {
      return;
    }
    Thread.ofVirtual()
        .name("lost-" + run)
        .start(
            () -> {
              try {
                catchUp.await(List.of(run), CATCH_UP);
                Optional<RunPlan> plan = runs.plan(pool, run, released).await().atMost(SQL);
                if (plan.isPresent()
                    && plan.get().outcome() instanceof RunOutcome.Reported(RunnerSignal signal)) {
                  publisher.signal(signal).join();
                }
              } catch (RuntimeException e) {
                LOG.warnf("run %s: failed to publish runner_exited: %s", run, e);
              }
            });
  }

  /** Blocks for the query. */
  public boolean carriesOpenRuns(String runner) {
    return !open(runner).isEmpty();
  }

  private List<Open> open(String runner) {
    List<Open> open = new ArrayList<>();
    for (Row row :
        pool.preparedQuery(
                """
                SELECT id, epoch FROM orchestrator.run_wanting_runner WHERE runner_id = $1""")
            .execute(Tuple.of(runner))
            .await()
            .atMost(SQL)) {
      open.add(new Open(row.getString("id"), row.getInteger("epoch")));
    }
    return open;
  }
}
