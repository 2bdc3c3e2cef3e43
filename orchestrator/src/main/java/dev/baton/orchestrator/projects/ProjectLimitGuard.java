/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projects;

import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides which new runs the limits of their projects allow, in the transaction that writes them.
 * It locks the rows of the projects, so that all replicas together keep the limits. Thread-safe.
 */
@ApplicationScoped
public class ProjectLimitGuard {
  /** After which a refused creation may succeed, when only an end of a run helps. */
  private static final int RETRY_SECONDS = 5;

  /** After which a refused creation may succeed, when only a deletion of checkpoints helps. */
  private static final int STORAGE_RETRY_SECONDS = 60;

  private final boolean required;

  ProjectLimitGuard(OrchestratorConfig config) {
    this.required = config.projects().required();
  }

  /**
   * New runs of one request in one project.
   *
   * @param request number of the request, the same for all its projects
   * @param managed how many need a place
   * @param all how many
   */
  public record Demand(int request, String project, int managed, int all) {}

  /** The state of a project while demands are decided. Not thread-safe. */
  static final class Budget {
    private final String project;
    private final ProjectLimits limits;
    private final long places;
    private final long stored;
    private long queued;
    private double tokens;

    /**
     * @param tokens before they are refilled
     * @param elapsed seconds since the last refill
     * @param underWay runs that have a place
     * @param queued runs that wait for one
     * @param stored bytes that its checkpoints keep, as measured last
     */
    Budget(
        String project,
        ProjectLimits limits,
        double tokens,
        double elapsed,
        long underWay,
        long queued,
        long stored) {
      this.project = project;
      this.limits = limits;
      this.queued = queued;
      this.stored = stored;
      this.places = limits.runs() == null ? 0 : Math.max(0, limits.runs() - underWay);
      this.tokens =
          limits.rate() == null
              ? tokens
              : Math.min(Math.max(1, limits.rate()), tokens + Math.max(0, elapsed) * limits.rate());
    }

    double tokens() {
      return tokens;
    }

    /** Takes what the demand needs; returns why it cannot. */
    @Nullable ProblemException take(int managed, int all) {
      if (limits.storageBytes() != null && stored >= limits.storageBytes()) {
        return ProblemException.retryAfter(
            ProblemKind.PROJECT_LIMIT,
            "project '%s' keeps %d bytes in checkpoints, the limit 'storage_bytes' is %d: delete runs that have ended (POST /runs/bulk/delete), or have the limit raised"
                .formatted(project, stored, limits.storageBytes()),
            STORAGE_RETRY_SECONDS);
      }
      if (limits.rate() != null && tokens < 1) {
        int seconds = (int) Math.max(1, Math.ceil((1 - tokens) / limits.rate()));
        return ProblemException.retryAfter(
            ProblemKind.PROJECT_LIMIT,
            "project '%s' creates at most %s runs per second; try again in %d s"
                .formatted(project, limits.rate(), seconds),
            seconds);
      }
      if (limits.waiting() != null && managed > 0 && queued + managed > limits.waiting() + places) {
        return ProblemException.retryAfter(
            ProblemKind.PROJECT_LIMIT,
            "project '%s' has %d runs that wait, at most %d may; cancel some, or try again when runs have ended"
                .formatted(project, queued, limits.waiting()),
            RETRY_SECONDS);
      }
      tokens -= all;
      queued += managed;
      return null;
    }
  }

  /**
   * Decides demands in their order; a request of several projects is refused as a whole.
   *
   * @return the problem of each refused request, by its number
   */
  public Uni<Map<Integer, ProblemException>> decide(SqlConnection tx, List<Demand> demands) {
    String[] names =
        demands.stream().map(Demand::project).distinct().sorted().toArray(String[]::new);
    return tx.preparedQuery(
            """
            SELECT name FROM orchestrator.project WHERE name = ANY($1) ORDER BY name FOR UPDATE""")
        .execute(Tuple.of(names))
        .chain(
            locked ->
                locked.size() == 0
                    ? Uni.createFrom().item(Map.<String, Budget>of())
                    : budgets(tx, names))
        .chain(
            budgets -> {
              Map<Integer, ProblemException> refused = decide(demands, budgets);
              return store(tx, budgets).replaceWith(refused);
            });
  }

  private Map<Integer, ProblemException> decide(List<Demand> demands, Map<String, Budget> budgets) {
    Map<Integer, ProblemException> refused = new HashMap<>();
    for (Demand demand : demands) {
      Budget budget = budgets.get(demand.project());
      ProblemException problem =
          budget != null
              ? budget.take(demand.managed(), demand.all())
              : required ? ProjectResource.unknown(demand.project()) : null;
      if (problem != null) {
        refused.putIfAbsent(demand.request(), problem);
      }
    }
    return refused;
  }

  /** In a statement after the lock, so that it sees the changes of the lock's last holder. */
  private static Uni<Map<String, Budget>> budgets(SqlConnection tx, String[] names) {
    return tx.preparedQuery(
            """
            SELECT p.name, p.runs, p.waiting, p.rate, p.storage_bytes, p.tokens, coalesce(p.stored_bytes, 0) AS stored,
              extract(epoch FROM clock_timestamp() - p.refilled_at)::double precision AS elapsed,
              CASE WHEN p.runs IS NULL THEN 0 ELSE (SELECT count(*) FROM orchestrator.run r
                WHERE r.project = p.name AND r.kind = 'managed' AND NOT r.ended AND r.queued_at IS NULL
                  AND r.status <> 'paused') END AS under_way,
              CASE WHEN p.waiting IS NULL THEN 0 ELSE (SELECT count(*) FROM orchestrator.run r
                WHERE r.project = p.name AND r.queued_at IS NOT NULL) END AS queued
            FROM orchestrator.project p WHERE p.name = ANY($1)""")
        .execute(Tuple.of(names))
        .map(
            rows -> {
              Map<String, Budget> budgets = new HashMap<>();
              for (Row row : rows) {
                budgets.put(
                    row.getString("name"),
                    new Budget(
                        row.getString("name"),
                        ProjectLimits.of(row),
                        row.getDouble("tokens"),
                        row.getDouble("elapsed"),
                        row.getLong("under_way"),
                        row.getLong("queued"),
                        row.getLong("stored")));
              }
              return budgets;
            });
  }

  private static Uni<Void> store(SqlConnection tx, Map<String, Budget> budgets) {
    List<Tuple> rows = new ArrayList<>();
    budgets.forEach(
        (name, budget) -> {
          if (budget.limits.rate() != null) {
            rows.add(Tuple.of(name, budget.tokens()));
          }
        });
    return rows.isEmpty()
        ? Uni.createFrom().voidItem()
        : tx.preparedQuery(
                "UPDATE orchestrator.project SET tokens = $2, refilled_at = clock_timestamp() WHERE name = $1")
            .executeBatch(rows)
            .replaceWithVoid();
  }
}
