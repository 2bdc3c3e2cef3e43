/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.audit.AuditOutcome;
import dev.baton.protocol.audit.AuditRecord;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Stores the audit log in Postgres. Thread-safe. */
@ApplicationScoped
class AuditRepository {
  private static final String COLUMNS =
      "id, began_at, caller, key, roles, peer, operation, projects, runs, target, outcome, status, problem, count";

  private static final String INSERT =
      """
      INSERT INTO orchestrator.audit (id, began_at, caller, key, roles, peer, operation, projects, runs, target,
        outcome, status, problem, count)
      SELECT id, began_at, caller, key, roles, peer, operation,
        ARRAY(SELECT json_array_elements_text(projects)), ARRAY(SELECT json_array_elements_text(runs)), target,
        outcome, status, problem, count
      FROM json_to_recordset($1::text::json) AS j (id text, began_at timestamptz, caller text, key text, roles text,
        peer text, operation text, projects json, runs json, target text, outcome text, status text, problem text,
        count int)""";

  private static final String COMPLETE =
      """
      UPDATE orchestrator.audit a SET outcome = j.outcome, status = j.status, problem = j.problem, target = j.target,
        projects = ARRAY(SELECT json_array_elements_text(j.projects)),
        runs = ARRAY(SELECT json_array_elements_text(j.runs))
      FROM json_to_recordset($1::text::json) AS j (id text, projects json, runs json, target text, outcome text,
        status text, problem text)
      WHERE a.id = j.id AND a.outcome IS NULL""";

  /** Ended rows, and those whose replica did not complete them. */
  private static final String UNPUBLISHED =
      "SELECT "
          + COLUMNS
          + " FROM orchestrator.audit WHERE NOT published AND (outcome IS NOT NULL OR id < $1) ORDER BY id LIMIT $2";

  private static final int MAX_EXPIRED = 10_000;

  /** Estimates of a record in memory: of a name in one of its lists, and of the rest. */
  private static final long ID_BYTES = 80;

  private static final long RECORD_BYTES = 1_000;

  private final Pool pool;
  private final BatchingWriter<AuditRecord> begun =
      new BatchingWriter<>(this::insert, AuditRepository::bytes);
  private final BatchingWriter<AuditRecord> ended =
      new BatchingWriter<>(this::update, AuditRepository::bytes);
  private final BatchingWriter<String> removed = new BatchingWriter<>(this::delete, id -> ID_BYTES);

  AuditRepository(Pool pool) {
    this.pool = pool;
  }

  private static long bytes(AuditRecord record) {
    return RECORD_BYTES
        + ID_BYTES
            * (record.runs().size() + record.projects().size() + (long) record.roles().size());
  }

  /** Inserts a record: of a call that begins, with the outcome {@code unknown}, or of an end. */
  Uni<Void> add(AuditRecord record) {
    return begun.write(record);
  }

  /** Completes the record of a call that has begun. */
  Uni<Void> complete(AuditRecord record) {
    return ended.write(record);
  }

  /** Removes the record of a call that has begun and is counted in another record. */
  Uni<Void> remove(String id) {
    return removed.write(id);
  }

  private Uni<Void> insert(List<AuditRecord> records) {
    return execute(INSERT, Tuple.of(json(records))).replaceWithVoid();
  }

  private Uni<Void> update(List<AuditRecord> records) {
    return execute(COMPLETE, Tuple.of(json(records))).replaceWithVoid();
  }

  private Uni<Void> delete(List<String> ids) {
    return execute(
            "DELETE FROM orchestrator.audit WHERE id = ANY($1)",
            Tuple.of(ids.toArray(String[]::new)))
        .replaceWithVoid();
  }

  /** Returns a page in the order of the query. */
  Uni<List<AuditRecord>> list(AuditQuery query) {
    List<Object> parameters = new ArrayList<>();
    String sql =
        "SELECT "
            + COLUMNS
            + " FROM orchestrator.audit WHERE "
            + query.where(parameters)
            + " ORDER BY id DESC LIMIT "
            + query.limit();
    return execute(sql, Tuple.from(parameters)).map(AuditRepository::records);
  }

  /**
   * Returns the oldest unpublished records, locked until the end of the transaction.
   *
   * @param lost records without an outcome are of replicas that have ended if they began before
   */
  static Uni<List<AuditRecord>> unpublished(SqlConnection tx, Instant lost, int limit) {
    return tx.preparedQuery(UNPUBLISHED + " FOR UPDATE SKIP LOCKED")
        .execute(Tuple.of(RunId.firstOf(lost), limit))
        .map(AuditRepository::records);
  }

  static Uni<Void> published(SqlConnection tx, List<String> ids) {
    return tx.preparedQuery(
            "UPDATE orchestrator.audit SET published = true, outcome = coalesce(outcome, 'unknown')"
                + " WHERE id = ANY($1)")
        .execute(Tuple.of(ids.toArray(String[]::new)))
        .replaceWithVoid();
  }

  /** Deletes up to 10,000 published records that began before; returns how many. */
  Uni<Integer> expire(Instant before) {
    return execute(
            """
            DELETE FROM orchestrator.audit WHERE id IN (SELECT id FROM orchestrator.audit
              WHERE id < $1 AND published ORDER BY id LIMIT $2)""",
            Tuple.of(RunId.firstOf(before), MAX_EXPIRED))
        .map(RowSet::rowCount);
  }

  private Uni<RowSet<Row>> execute(String sql, Tuple values) {
    return pool.preparedQuery(sql).execute(values).ifNoItem().after(Duration.ofSeconds(25)).fail();
  }

  private static String json(List<AuditRecord> records) {
    ArrayNode rows = Json.mapper().createArrayNode();
    for (AuditRecord record : records) {
      ObjectNode row =
          rows.addObject()
              .put("id", record.id())
              .put("began_at", record.time().toString())
              .put("caller", record.caller())
              .put("key", record.key())
              .put("roles", Json.mapper().valueToTree(record.roles()).toString())
              .put("peer", record.peer())
              .put("operation", record.operation())
              .put("target", record.target())
              .put("outcome", stored(record.outcome()))
              .put("status", record.status())
              .put("problem", record.problem())
              .put("count", record.count());
      record.projects().forEach(row.putArray("projects")::add);
      record.runs().forEach(row.putArray("runs")::add);
    }
    return rows.toString();
  }

  private static @Nullable String stored(String outcome) {
    return outcome.equals(AuditOutcome.UNKNOWN.word()) ? null : outcome;
  }

  private static List<AuditRecord> records(RowSet<Row> rows) {
    List<AuditRecord> records = new ArrayList<>();
    for (Row row : rows) {
      Map<String, String> roles = new HashMap<>();
      Json.tree(row.getString("roles").getBytes(StandardCharsets.UTF_8))
          .properties()
          .forEach(entry -> roles.put(entry.getKey(), entry.getValue().asText()));
      records.add(
          new AuditRecord(
              row.getString("id"),
              row.getOffsetDateTime("began_at").withOffsetSameInstant(ZoneOffset.UTC).toInstant(),
              row.getString("caller"),
              row.getString("key"),
              roles,
              row.getString("peer"),
              row.getString("operation"),
              List.of(row.getArrayOfStrings("projects")),
              List.of(row.getArrayOfStrings("runs")),
              row.getString("target"),
              Objects.requireNonNullElse(row.getString("outcome"), AuditOutcome.UNKNOWN.word()),
              row.getString("status"),
              row.getString("problem"),
              row.getInteger("count")));
    }
    return records;
  }
}
