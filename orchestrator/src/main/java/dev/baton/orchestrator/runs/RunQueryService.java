/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.failover.CrashLoopMetrics;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.reconcile.LastRunnerExit;
import dev.baton.protocol.identity.ProjectScope;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.state.AgentTotals;
import dev.baton.protocol.state.ControlGap;
import dev.baton.protocol.state.RunHead;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.RunId;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Reads runs. */
@ApplicationScoped
public class RunQueryService {
  private static final int DISPLAY_LENGTH = 6;
  private static final int MAX_CANDIDATES = 20;
  private static final int MOST_OF_LINEAGE = 1_000;

  // The epoch of a run that has ended or lost its runner is taken from the log: a failover may have
  // raised the row's epoch before the run's end was known, for an epoch that never began. A certain
  // epoch may have been returned to a caller, so it is never lowered, even if the log has not been
  // read up to it.
  private static final String SELECT =
      """
      SELECT r.id, r.project, r.kind, r.home_partition, r.workflow, r.definition_hash, r.labels::text AS labels, r.deadline, r.created_at,
        r.forked_from, r.forked_position, r.forked_step, r.forked_checkpoint, r.status, r.started_at, r.ended_at, r.current_steps, r.completed, r.fenced, r.output, r.error,
        r.head::json ->> 'gap' AS trace_gap,
        CASE WHEN NOT r.ended AND r.kind = 'managed' THEN r.head::json ->> 'control_gap' END AS control_gap,
        CASE WHEN r.ended OR r.status IN ('pending', 'interrupted', 'pausing')
          THEN GREATEST(LEAST(r.certain_epoch, r.epoch), (r.head::json ->> 'epoch')::int) ELSE r.epoch END AS epoch,
        r.priority, r.queued_at,
        CASE WHEN r.queued_at IS NOT NULL THEN (SELECT count(*) FROM (SELECT 1 FROM orchestrator.run q
          WHERE q.project = r.project AND q.workflow = r.workflow AND q.queued_at IS NOT NULL
            AND (q.priority > r.priority OR q.priority = r.priority AND (q.queued_at, q.id) <= (r.queued_at, r.id))
          LIMIT 1000) before) END AS queue_position,
        CASE WHEN r.queued_at IS NOT NULL THEN (SELECT c.runs FROM orchestrator.concurrency_limit c
          WHERE c.workflow = r.workflow COLLATE "C") END AS queue_limit,
        CASE WHEN r.queued_at IS NOT NULL THEN (SELECT l.runs FROM orchestrator.project l
          WHERE l.name = r.project AND l.runs <= (SELECT count(*) FROM orchestrator.run u WHERE u.project = r.project
            AND u.kind = 'managed' AND NOT u.ended AND u.queued_at IS NULL AND u.status <> 'paused')) END AS project_limit,
        CASE WHEN r.queued_at IS NOT NULL THEN (SELECT count(*) FROM (SELECT 1 FROM orchestrator.run q
          WHERE q.project = r.project AND q.queued_at IS NOT NULL
            AND (q.priority > r.priority OR q.priority = r.priority AND (q.queued_at, q.id) <= (r.queued_at, r.id))
          LIMIT 1000) before) END AS project_position,
        CASE WHEN r.awaits_epoch = r.epoch AND r.queued_at IS NULL
          AND (r.runner_id IS NULL OR r.awaits_reason = 'launcher_unavailable' AND r.started_epoch < r.epoch) AND NOT r.ended AND r.desired = 'running'
          AND r.status <> 'paused' THEN r.awaits_since END AS awaits_since, r.awaits_launcher, r.awaits_pool, r.awaits_limit,
        r.awaits_reason, r.awaits_detail,
        CASE WHEN r.awaits_epoch = r.epoch
          AND (r.runner_id IS NULL OR r.awaits_reason = 'launcher_unavailable' AND r.started_epoch < r.epoch) AND NOT r.ended THEN (SELECT count(*) FROM (
          SELECT 1 FROM orchestrator.run q WHERE q.awaits_launcher = r.awaits_launcher AND NOT q.ended
            AND q.awaits_pool IS NOT DISTINCT FROM r.awaits_pool
            AND (q.runner_id IS NULL OR q.awaits_reason = 'launcher_unavailable' AND q.started_epoch < q.epoch) AND q.desired = 'running'
            AND q.awaits_epoch = q.epoch
            AND (q.priority > r.priority OR q.priority = r.priority AND (q.awaits_since, q.id) <= (r.awaits_since, r.id))
          LIMIT 1000) before) END AS awaits_position,
        CASE WHEN r.kind = 'external' THEN r.head::json ->> 'runner' ELSE r.runner_id END AS runner_id,
        (r.head::json -> 'degraded')::text AS degraded, (r.head::json -> 'agents')::text AS agents,
        r.runner_pid, r.runner_host, w.phase AS runner_phase, w.reason AS runner_reason, r.fruitless, r.completed_at_failover, r.last_exit, r.next_attempt_at, k.parked_at, k.resume_at,
        (SELECT json_agg(json_build_object('id', n.id, 'event', n.event, 'channel', n.channel, 'status', n.status,
            'attempts', n.attempts, 'last_error', n.last_error,
            'next_attempt_at', CASE WHEN n.status = 'pending' THEN n.not_before END) ORDER BY n.created_at, n.channel)::text
           FROM orchestrator.notification n WHERE n.run = r.id) AS notifications,
        (SELECT json_agg(json_build_object('approval', a.id, 'step', a.step, 'prompt', a.prompt, 'checkpoint', a.cut,
            'tool', CASE WHEN length(a.tool) <= 8192 THEN a.tool::json ELSE (a.tool::jsonb - 'input')::json END) ORDER BY a.asked_at)::text
           FROM orchestrator.approval a WHERE a.run = r.id AND a.status = 'waiting') AS waiting
      FROM orchestrator.run r LEFT JOIN orchestrator.parked k ON k.run = r.id AND k.epoch = r.epoch AND r.status = 'waiting'
        LEFT JOIN orchestrator.runner w ON w.id = r.runner_id AND r.kind <> 'external' AND r.started_epoch < r.epoch AND NOT r.ended
      """;

  private static final String VISIBLE = " AND ($2::text[] IS NULL OR project = ANY ($2))";
  private static final String BY_ID =
      "SELECT id, project FROM orchestrator.run WHERE id = $1" + VISIBLE;
  private static final String BY_DISPLAY_ID =
      "SELECT id, project FROM orchestrator.run WHERE display_id = $1"
          + VISIBLE
          + " ORDER BY id LIMIT $3";

  /** A page of runs, newest first. */
  @Schema(name = "RunPage")
  public record Page(List<RunView> runs, @Nullable String nextCursor) {}

  /**
   * The runs forked, directly or indirectly, from a run's oldest stored ancestor, with the
   * ancestor, oldest first.
   *
   * @param truncated there are more
   */
  @Schema(name = "RunLineage")
  public record Lineage(List<RunView> runs, boolean truncated) {}

  /**
   * The fields of a run that its forks start with.
   *
   * @param definitionHash null for an external run without a definition
   */
  public record Parent(
      String id,
      String project,
      @Nullable String workflow,
      @Nullable String definitionHash,
      @Nullable JsonNode input,
      Map<String, String> labels,
      int priority) {}

  private final Pool pool;

  RunQueryService(Pool pool) {
    this.pool = pool;
  }

  /**
   * Returns the full id of a run, given that or its last six characters; fails with a problem
   * otherwise. A run that the caller cannot see does not exist; one that it can see but not change
   * is FORBIDDEN.
   */
  public Uni<String> resolve(String text, ProjectAccess access) {
    if (RunId.isValid(text)) {
      return pool.preparedQuery(BY_ID)
          .execute(visible(text, access))
          .map(rows -> only(text, rows, access));
    }
    if (text.length() != DISPLAY_LENGTH) {
      throw unknown(text);
    }
    return pool.preparedQuery(BY_DISPLAY_ID)
        .execute(visible(text, access).addInteger(MAX_CANDIDATES))
        .map(rows -> only(text, rows, access));
  }

  private static Tuple visible(String text, ProjectAccess access) {
    return Tuple.tuple().addString(text).addArrayOfString(access.visibleNames());
  }

  private static String only(String text, RowSet<Row> rows, ProjectAccess access) {
    List<String> ids = new ArrayList<>();
    rows.forEach(row -> ids.add(row.getString("id")));
    return switch (ids.size()) {
      case 0 -> throw unknown(text);
      case 1 -> {
        access.noteRun(ids.getFirst());
        access.require(rows.iterator().next().getString("project"));
        yield ids.getFirst();
      }
      default ->
          throw ProblemException.ambiguous(
              "'" + text + "' is the short id of several runs; use one of the candidates", ids);
    };
  }

  static ProblemException unknown(String text) {
    return new ProblemException(
        ProblemKind.NOT_FOUND,
        "no run '"
            + TextShortener.shorten(text, 64)
            + "'; allowed: the id of a run (26 characters) or its last six characters");
  }

  /** Fails with a problem when the run does not exist. */
  public Uni<RunView> get(String id) {
    return pool.preparedQuery(SELECT + "WHERE r.id = $1")
        .execute(Tuple.of(id))
        .map(
            rows -> {
              for (Row row : rows) {
                return view(row);
              }
              throw unknown(id);
            });
  }

  /**
   * Returns the run's current epoch. Linearizable: reads the row that a failover changes before the
   * replacement can act.
   *
   * @param epoch to check; null for none
   */
  public Uni<EpochView> epoch(String id, @Nullable Integer epoch) {
    return pool.preparedQuery(
            "SELECT epoch, ended, desired, status FROM orchestrator.run WHERE id = $1")
        .execute(Tuple.of(id))
        .map(
            rows -> {
              for (Row row : rows) {
                return EpochView.of(
                    id,
                    row.getInteger("epoch"),
                    row.getBoolean("ended"),
                    DesiredState.of(row),
                    row.getString("status"),
                    epoch);
              }
              throw unknown(id);
            });
  }

  /**
   * Returns a run's input as JSON; an empty object when it has none. Fails when the run does not
   * exist.
   */
  public Uni<byte[]> input(String id) {
    return pool.preparedQuery("SELECT input FROM orchestrator.run WHERE id = $1")
        .execute(Tuple.of(id))
        .map(
            rows -> {
              for (Row row : rows) {
                String input = row.getString("input");
                return (input == null ? "{}" : input).getBytes(StandardCharsets.UTF_8);
              }
              throw unknown(id);
            });
  }

  /** Fails with a problem when the run does not exist. */
  public Uni<Parent> parent(String id) {
    return pool.preparedQuery(
            """
            SELECT project, workflow, definition_hash, input, labels::text AS labels, priority, deleting
            FROM orchestrator.run WHERE id = $1\
            """)
        .execute(Tuple.of(id))
        .map(
            rows -> {
              for (Row row : rows) {
                if (row.getBoolean("deleting")) {
                  throw new ProblemException(
                      ProblemKind.CONFLICT,
                      "run %s is being deleted and cannot be forked".formatted(id));
                }
                return new Parent(
                    id,
                    row.getString("project"),
                    row.getString("workflow"),
                    row.getString("definition_hash"),
                    optional(row.getString("input"), new TypeReference<JsonNode>() {}),
                    json(row.getString("labels"), new TypeReference<Map<String, String>>() {}),
                    row.getInteger("priority"));
              }
              throw unknown(id);
            });
  }

  /**
   * Returns the ids of the last events that the run's view includes: one of the control lane and
   * one of the current runner, if there are any. A reader of the trace must have these events,
   * otherwise it contradicts the view.
   */
  public Uni<List<String>> seen(String run) {
    return pool.preparedQuery("SELECT head FROM orchestrator.run WHERE id = $1")
        .execute(Tuple.of(run))
        .map(
            rows -> {
              List<String> seen = new ArrayList<>();
              for (Row row : rows) {
                RunHead head = optional(row.getString("head"), new TypeReference<RunHead>() {});
                if (head != null && head.controlSeq() > 0) {
                  seen.add(new EventId(run, Lane.CONTROL, head.controlSeq()).toString());
                }
                if (head != null && head.epoch() > 0 && head.runnerSeq() > 0) {
                  seen.add(
                      new EventId(run, Lane.runner(head.epoch()), head.runnerSeq()).toString());
                }
              }
              return seen;
            });
  }

  /** Returns those of the runs that exist, without their steps. */
  public Uni<List<RunView>> all(Collection<String> ids) {
    return pool.preparedQuery(SELECT + "WHERE r.id = ANY($1) ORDER BY r.id")
        .execute(Tuple.of(ids.toArray(String[]::new)))
        .map(
            rows -> {
              List<RunView> views = new ArrayList<>();
              rows.forEach(row -> views.add(view(row)));
              return views;
            });
  }

  /**
   * @param scope the projects whose runs are listed
   * @param cursor the id of the last run of the previous page; null for the first page
   */
  public Uni<Page> list(
      RunQueryFilter filter, ProjectScope scope, @Nullable String cursor, int limit) {
    List<Object> parameters = new ArrayList<>();
    String sql = listing(filter, scope, cursor, limit, parameters);
    return pool.preparedQuery(sql)
        .execute(Tuple.from(parameters))
        .map(
            rows -> {
              List<RunView> views = new ArrayList<>();
              rows.forEach(row -> views.add(view(row)));
              if (views.size() <= limit) {
                return new Page(views, null);
              }
              List<RunView> page = List.copyOf(views.subList(0, limit));
              return new Page(page, page.getLast().id());
            });
  }

  static String listing(
      RunQueryFilter filter,
      ProjectScope scope,
      @Nullable String cursor,
      int limit,
      List<Object> parameters) {
    // Only the conditions in use: a plan for all of them would use no index.
    String where = filter.where(parameters);
    String[] projects = ProjectAccess.names(scope);
    if (projects != null) {
      parameters.add(projects);
      where += " AND r.project = ANY ($" + parameters.size() + ")";
    }
    if (cursor != null) {
      parameters.add(cursor);
      where += " AND r.id < $" + parameters.size();
    }
    parameters.add(limit + 1);
    return SELECT + "WHERE " + where + " ORDER BY r.id DESC LIMIT $" + parameters.size();
  }

  /** Returns the visible part of the tree of forks of the run; at most the 1,000 oldest. */
  public Uni<Lineage> lineage(String id, ProjectAccess access) {
    return pool.preparedQuery(
            """
            WITH RECURSIVE up AS (
              SELECT id, forked_from, 0 AS depth FROM orchestrator.run WHERE id = $1
              UNION ALL
              SELECT p.id, p.forked_from, up.depth + 1 FROM up
              JOIN orchestrator.run p ON p.id = up.forked_from),
            down AS (
              (SELECT id FROM up ORDER BY depth DESC LIMIT 1)
              UNION ALL
              SELECT c.id FROM down JOIN orchestrator.run c ON c.forked_from = down.id)
            """
                + SELECT
                + "WHERE r.id IN (SELECT id FROM down)"
                + " AND ($2::text[] IS NULL OR r.project = ANY ($2)) ORDER BY r.id LIMIT $3")
        .execute(visible(id, access).addInteger(MOST_OF_LINEAGE + 1))
        .map(
            rows -> {
              List<RunView> views = new ArrayList<>();
              rows.forEach(row -> views.add(view(row)));
              return views.size() <= MOST_OF_LINEAGE
                  ? new Lineage(views, false)
                  : new Lineage(List.copyOf(views.subList(0, MOST_OF_LINEAGE)), true);
            });
  }

  private static RunView view(Row row) {
    String id = row.getString("id");
    String runner = row.getString("runner_id");
    return new RunView(
        id,
        RunId.display(id),
        row.getString("project"),
        row.getString("workflow"),
        row.getString("definition_hash"),
        row.getString("kind"),
        row.getString("status"),
        row.getInteger("epoch"),
        json(row.getString("current_steps"), new TypeReference<List<String>>() {}),
        json(row.getString("labels"), new TypeReference<Map<String, String>>() {}),
        row.getOffsetDateTime("created_at").toInstant(),
        forkedFrom(row),
        row.getInteger("priority"),
        queued(row),
        instant(row, "started_at"),
        instant(row, "ended_at"),
        instant(row, "deadline"),
        row.getLong("completed"),
        row.getLong("fenced"),
        row.getString("trace_gap"),
        logGap(row),
        optional(row.getString("output"), new TypeReference<JsonNode>() {}),
        optional(row.getString("error"), new TypeReference<Failure>() {}),
        runner == null ? null : runner(row, runner),
        waiting(row.getString("waiting")),
        crashLoop(row),
        optional(row.getString("degraded"), new TypeReference<List<DamagedCheckpoint>>() {}),
        RunAgentView.of(optional(row.getString("agents"), new TypeReference<AgentTotals>() {})),
        notices(row.getString("notifications")),
        parked(row),
        row.getInteger("home_partition"),
        null,
        null,
        null,
        null,
        null);
  }

  private static RunView.RunnerRef runner(Row row, String id) {
    return new RunView.RunnerRef(
        id,
        row.getLong("runner_pid"),
        row.getString("runner_host"),
        row.getString("runner_phase"),
        row.getString("runner_reason"));
  }

  private static RunView.@Nullable Queued queued(Row row) {
    Instant since = instant(row, "queued_at");
    Integer projectLimit = row.getInteger("project_limit");
    if (since != null && projectLimit != null) {
      return new RunView.Queued(
          row.getLong("project_position").intValue(),
          projectLimit,
          since,
          "project_limit",
          null,
          null,
          null);
    }
    if (since != null) {
      return new RunView.Queued(
          row.getLong("queue_position").intValue(),
          row.getInteger("queue_limit"),
          since,
          "workflow_limit",
          null,
          null,
          null);
    }
    Instant awaits = instant(row, "awaits_since");
    if (awaits == null) {
      return null;
    }
    return new RunView.Queued(
        row.getLong("awaits_position").intValue(),
        row.getInteger("awaits_limit"),
        awaits,
        row.getString("awaits_reason"),
        row.getString("awaits_launcher"),
        row.getString("awaits_pool"),
        row.getString("awaits_detail"));
  }

  private static @Nullable ForkedFrom forkedFrom(Row row) {
    String parent = row.getString("forked_from");
    return parent == null
        ? null
        : new ForkedFrom(
            parent,
            row.getLong("forked_position"),
            row.getString("forked_step"),
            row.getString("forked_checkpoint"));
  }

  private static RunView.@Nullable LogGap logGap(Row row) {
    ControlGap gap = optional(row.getString("control_gap"), new TypeReference<ControlGap>() {});
    return gap == null ? null : new RunView.LogGap(ControlGap.LANE, gap.expected(), gap.found());
  }

  private static RunView.@Nullable Parked parked(Row row) {
    Instant since = instant(row, "parked_at");
    return since == null ? null : new RunView.Parked(since, instant(row, "resume_at"));
  }

  private static List<RunView.Waiting> waiting(@Nullable String text) {
    return text == null ? List.of() : json(text, new TypeReference<List<RunView.Waiting>>() {});
  }

  private static RunView.@Nullable CrashLoop crashLoop(Row row) {
    int fruitless = row.getInteger("fruitless");
    boolean ended = RunStatus.of(row.getString("status")).map(RunStatus::isTerminal).orElse(false);
    if (ended
        || !CrashLoopMetrics.isOne(
            fruitless, row.getLong("completed"), row.getLong("completed_at_failover"))) {
      return null;
    }
    Instant next = instant(row, "next_attempt_at");
    return new RunView.CrashLoop(
        fruitless,
        next == null || next.isBefore(Instant.now()) ? null : next,
        optional(row.getString("last_exit"), new TypeReference<LastRunnerExit>() {}));
  }

  private static List<RunView.Notice> notices(@Nullable String text) {
    return text == null ? List.of() : json(text, new TypeReference<List<RunView.Notice>>() {});
  }

  private static @Nullable Instant instant(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }

  private static <T> @Nullable T optional(@Nullable String text, TypeReference<T> type) {
    return text == null ? null : json(text, type);
  }

  private static <T> T json(String text, TypeReference<T> type) {
    try {
      return Json.mapper().readValue(text, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a column holds broken JSON: " + text, e);
    }
  }
}
