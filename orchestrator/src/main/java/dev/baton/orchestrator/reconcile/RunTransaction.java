/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.reconcile;

import dev.baton.orchestrator.config.OrchestratorConfig;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlClient;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * Plans and performs what happens to runs in a transaction of the caller: locks their rows, plans
 * for each, and writes all plans with one statement. Thread-safe.
 */
@ApplicationScoped
public class RunTransaction {
  private static final Logger LOG = Logger.getLogger(RunTransaction.class);
  private static final String SELECT =
      "SELECT " + RunRowReader.COLUMNS + ", clock_timestamp() AS now FROM " + RunRowReader.TABLES;

  private final RunPlanner planner;

  RunTransaction(OrchestratorConfig config) {
    this.planner = new RunPlanner(config.failover().maxDeaths());
  }

  /**
   * Performs what was observed of each run. Never waits for a lock of a run's row.
   *
   * @return the plans that are performed when the transaction commits. A run is missing when
   *     another transaction has locked or changed its row, when it is unknown, and when its row
   *     cannot be read
   */
  public Uni<Map<String, RunPlan>> performFree(
      SqlConnection tx, Map<String, RunObservation> observed) {
    return tx.preparedQuery(
            SELECT + "WHERE r.id = ANY($1) ORDER BY r.id FOR UPDATE OF r SKIP LOCKED")
        .execute(Tuple.of(observed.keySet().toArray(String[]::new)))
        .chain(rows -> write(tx, plans(rows, observed)));
  }

  /**
   * Performs what was observed of a run. Waits for the lock of its row, at most as long as the
   * transaction's {@code lock_timeout}.
   *
   * @return empty when the run is unknown
   */
  public Uni<Optional<RunPlan>> perform(SqlConnection tx, String run, RunObservation observed) {
    // In a separate statement, so that the next one sees all changes of the lock's last holder.
    return tx.preparedQuery("SELECT id FROM orchestrator.run WHERE id = $1 FOR UPDATE")
        .execute(Tuple.of(run))
        .chain(
            locked ->
                locked.size() == 0
                    ? Uni.createFrom().item(Optional.empty())
                    : performLocked(tx, run, observed));
  }

  private Uni<Optional<RunPlan>> performLocked(
      SqlConnection tx, String run, RunObservation observed) {
    return tx.preparedQuery(SELECT + "WHERE r.id = $1")
        .execute(Tuple.of(run))
        .map(rows -> plan(rows.iterator().next(), observed))
        .chain(
            plan ->
                RunPlanWriter.write(tx, Set.of(plan))
                    .map(
                        written -> {
                          if (plan.hasChange() && !written.contains(run)) {
                            throw new IllegalStateException(
                                "run " + run + ": its locked row has changed");
                          }
                          return Optional.of(plan);
                        }));
  }

  /**
   * Plans without performing, and without a lock.
   *
   * @return empty when the run is unknown
   */
  public Uni<Optional<RunPlan>> plan(SqlClient client, String run, RunObservation observed) {
    return client
        .preparedQuery(SELECT + "WHERE r.id = $1")
        .execute(Tuple.of(run))
        .map(
            rows ->
                rows.size() == 0
                    ? Optional.empty()
                    : Optional.of(plan(rows.iterator().next(), observed)));
  }

  /**
   * Plans for a row that was read before, without performing. For observations that no time
   * affects.
   */
  public RunPlan plan(RunRow row, RunObservation observed) {
    return planner.plan(row, observed, Instant.now());
  }

  private Map<String, RunPlan> plans(RowSet<Row> rows, Map<String, RunObservation> observed) {
    Map<String, RunPlan> plans = new HashMap<>();
    for (Row row : rows) {
      String run = row.getString("id");
      try {
        plans.put(run, plan(row, Objects.requireNonNull(observed.get(run))));
      } catch (RuntimeException e) {
        // The other runs must not wait for this one; alone, its observer gets the failure.
        LOG.warnf("run %s: cannot be planned, skipped: %s", run, e);
      }
    }
    return plans;
  }

  private RunPlan plan(Row row, RunObservation observed) {
    Instant now = row.getOffsetDateTime("now").toInstant();
    return planner.plan(RunRowReader.read(row), observed, now);
  }

  private static Uni<Map<String, RunPlan>> write(SqlConnection tx, Map<String, RunPlan> plans) {
    return RunPlanWriter.write(tx, plans.values())
        .map(
            written -> {
              plans
                  .values()
                  .removeIf(plan -> plan.hasChange() && !written.contains(plan.before().id()));
              return plans;
            });
  }
}
