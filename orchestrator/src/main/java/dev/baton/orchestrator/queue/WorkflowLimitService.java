/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.queue;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.TextShortener;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Reads and changes the limit of active runs of a workflow. Thread-safe. */
@ApplicationScoped
public class WorkflowLimitService {
  /** The largest limit. */
  static final int MOST = 1_000_000;

  /**
   * @param limit the effective limit, for each project; null: no limit
   * @param defined the limit in the current version of the definition; null: none
   * @param override the operator's limit, which has precedence; null: none
   * @param underWay number of active runs, of all projects
   * @param queued number of queued runs
   */
  @Schema(name = "WorkflowLimit")
  public record Limit(
      String workflow,
      @Nullable Integer limit,
      @Nullable Integer defined,
      @Nullable Integer override,
      long underWay,
      long queued) {}

  private final Pool pool;
  private final RunAdmissionController admission;

  WorkflowLimitService(Pool pool, RunAdmissionController admission) {
    this.pool = pool;
    this.admission = admission;
  }

  /** Fails with a problem when the workflow does not exist. */
  Uni<Limit> get(String workflow) {
    return pool.preparedQuery(
            """
            SELECT n.concurrency, l.runs, COALESCE(l.runs, n.concurrency) AS holds,
              (SELECT count(*) FROM orchestrator.run WHERE workflow = $1 AND kind = 'managed'
                AND NOT ended AND queued_at IS NULL AND status <> 'paused') AS under_way,
              (SELECT count(*) FROM orchestrator.run WHERE workflow = $1 AND queued_at IS NOT NULL) AS queued
            FROM orchestrator.workflow_name n LEFT JOIN orchestrator.workflow_limit l ON l.workflow = n.name
            WHERE n.name = $1\
            """)
        .execute(Tuple.of(workflow))
        .map(
            rows -> {
              for (Row row : rows) {
                return new Limit(
                    workflow,
                    row.getInteger("holds"),
                    row.getInteger("concurrency"),
                    row.getInteger("runs"),
                    row.getLong("under_way"),
                    row.getLong("queued"));
              }
              throw unknown(workflow);
            });
  }

  /** Sets the operator's limit; 0 lets no more runs begin. Active runs continue. */
  Uni<Limit> set(String workflow, int runs) {
    if (runs < 0 || runs > MOST) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "limit " + runs + " is not allowed; allowed: 0 (no more runs begin) to " + MOST);
    }
    return get(workflow)
        .chain(
            () ->
                pool.preparedQuery(
                        """
                        INSERT INTO orchestrator.workflow_limit (workflow, runs) VALUES ($1, $2)
                        ON CONFLICT (workflow) DO UPDATE SET runs = $2, changed_at = now()\
                        """)
                    .execute(Tuple.of(workflow, runs)))
        .invoke(admission::wake)
        .chain(() -> get(workflow));
  }

  /** Removes the operator's limit: the definition's applies again. */
  Uni<Limit> clear(String workflow) {
    return get(workflow)
        .chain(
            () ->
                pool.preparedQuery("DELETE FROM orchestrator.workflow_limit WHERE workflow = $1")
                    .execute(Tuple.of(workflow)))
        .invoke(admission::wake)
        .chain(() -> get(workflow));
  }

  private static ProblemException unknown(String workflow) {
    return new ProblemException(
        ProblemKind.NOT_FOUND,
        "no workflow '"
            + TextShortener.shorten(workflow, 200)
            + "'; GET /workflows lists all workflows");
  }
}
