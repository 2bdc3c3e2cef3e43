/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores API keys in Postgres. Each statement takes at most 10 s. Thread-safe. */
@ApplicationScoped
class ApiKeyRepository {
  /** The most keys of an installation that are neither revoked nor expired. */
  static final int MAX_KEYS = 10_000;

  private static final Duration SQL = Duration.ofSeconds(10);
  private static final String COLUMNS =
      "id, coalesce(project_digest, digest) AS digest, name, role, projects::text AS projects, created_at, created_by,"
          + " expires_at, last_used_at, revoked_at";

  private final Pool pool;

  ApiKeyRepository(Pool pool) {
    this.pool = pool;
  }

  Uni<Optional<ApiKeyRow>> find(String id) {
    return execute("SELECT " + COLUMNS + " FROM orchestrator.api_key WHERE id = $1", Tuple.of(id))
        .map(rows -> list(rows).stream().findFirst());
  }

  /** Returns those of these keys that exist. */
  Uni<List<ApiKeyRow>> find(Collection<String> ids) {
    return execute(
            "SELECT " + COLUMNS + " FROM orchestrator.api_key WHERE id = ANY($1)",
            Tuple.of(ids.toArray(String[]::new)))
        .map(ApiKeyRepository::list);
  }

  /** Lists up to {@link #MAX_KEYS} keys, the newest first, also revoked and expired ones. */
  Uni<List<ApiKeyRow>> list() {
    return execute(
            "SELECT "
                + COLUMNS
                + " FROM orchestrator.api_key ORDER BY created_at DESC, id LIMIT $1",
            Tuple.of(MAX_KEYS))
        .map(ApiKeyRepository::list);
  }

  /**
   * Inserts a key.
   *
   * @return false when there are {@link #MAX_KEYS} valid ones
   */
  Uni<Boolean> insert(ApiKeyRow key) {
    boolean single = isOneRole(key.roles());
    Buffer digest = Buffer.buffer(key.digest());
    return execute(
            """
            INSERT INTO orchestrator.api_key
              (id, digest, name, role, created_at, created_by, expires_at, projects, project_digest)
            SELECT $1, $2, $3, $4, $5, $6, $7, $9::text::jsonb, nullif($10, ''::bytea)
            WHERE (SELECT count(*) FROM orchestrator.api_key
                   WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())) < $8""",
            Tuple.tuple()
                .addString(key.id())
                .addBuffer(single ? digest : Buffer.buffer())
                .addString(key.name())
                .addString((single ? key.roles().highest() : AccessRole.VIEWER).label())
                .addOffsetDateTime(utc(key.createdAt()))
                .addString(key.createdBy())
                .addOffsetDateTime(key.expiresAt() == null ? null : utc(key.expiresAt()))
                .addInteger(MAX_KEYS)
                .addString(single ? null : projects(key.roles()))
                .addBuffer(single ? Buffer.buffer() : digest))
        .map(rows -> rows.rowCount() == 1);
  }

  /** Revokes a key, once; returns it, or empty when none has this id. */
  Uni<Optional<ApiKeyRow>> revoke(String id) {
    return execute(
            "UPDATE orchestrator.api_key SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1"
                + " RETURNING "
                + COLUMNS,
            Tuple.of(id))
        .map(rows -> list(rows).stream().findFirst());
  }

  /** Records the use of a key. */
  Uni<Void> used(String id, Instant at) {
    return execute(
            """
            UPDATE orchestrator.api_key SET last_used_at = $2
            WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)""",
            Tuple.of(id, utc(at)))
        .replaceWithVoid();
  }

  private Uni<RowSet<Row>> execute(String sql, Tuple values) {
    return pool.preparedQuery(sql).execute(values).ifNoItem().after(SQL).fail();
  }

  private static List<ApiKeyRow> list(RowSet<Row> rows) {
    List<ApiKeyRow> keys = new ArrayList<>();
    for (Row row : rows) {
      keys.add(
          new ApiKeyRow(
              row.getString("id"),
              row.getBuffer("digest").getBytes(),
              row.getString("name"),
              roles(row),
              row.getOffsetDateTime("created_at").toInstant(),
              row.getString("created_by"),
              instant(row, "expires_at"),
              instant(row, "last_used_at"),
              instant(row, "revoked_at")));
    }
    return keys;
  }

  /** Whether the columns of the first version are enough. */
  private static boolean isOneRole(ProjectRoles roles) {
    return roles.equals(ProjectRoles.everywhere(roles.highest()));
  }

  private static String projects(ProjectRoles roles) {
    ObjectNode projects = Json.mapper().createObjectNode();
    roles.byProject().forEach((project, role) -> projects.put(project, role.label()));
    return projects.toString();
  }

  private static ProjectRoles roles(Row row) {
    String projects = row.getString("projects");
    if (projects == null) {
      return ProjectRoles.parse(Map.of(ProjectRoles.EVERY, row.getString("role")));
    }
    Map<String, String> labels = new HashMap<>();
    Json.tree(projects.getBytes(StandardCharsets.UTF_8))
        .properties()
        .forEach(entry -> labels.put(entry.getKey(), entry.getValue().asText()));
    return ProjectRoles.parse(labels);
  }

  private static @Nullable Instant instant(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }

  private static OffsetDateTime utc(Instant time) {
    return time.atOffset(ZoneOffset.UTC);
  }
}
