/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.idempotency;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores responses under their keys for 24 hours. A key is claimed in the transaction of its
 * effect.
 */
@ApplicationScoped
public class IdempotencyService {
  private final Pool pool;

  IdempotencyService(Pool pool) {
    this.pool = pool;
  }

  /**
   * Returns the stored response; empty when the key is new.
   *
   * @return fails with a problem when the key was used with another body
   */
  public Uni<Optional<IdempotentResponse>> find(@Nullable IdempotencyKey key) {
    if (key == null) {
      return Uni.createFrom().item(Optional.empty());
    }
    return pool.preparedQuery(
            "SELECT body_hash, status, location, body FROM orchestrator.idempotency WHERE key = $1")
        .execute(Tuple.of(key.key()))
        .map(rows -> stored(key, rows));
  }

  private static Optional<IdempotentResponse> stored(IdempotencyKey key, RowSet<Row> rows) {
    for (Row row : rows) {
      if (!row.getString("body_hash").equals(key.bodyHash())) {
        throw new ProblemException(
            ProblemKind.IDEMPOTENCY_KEY_REUSED,
            IdempotencyKey.HEADER + " '" + key.text() + "' was used with another body");
      }
      return Optional.of(
          new IdempotentResponse(
              row.getInteger("status"), row.getString("location"), row.getString("body"), true));
    }
    return Optional.empty();
  }

  /**
   * Returns the stored response, or that of the action and stores it. The action must be
   * idempotent.
   */
  public Uni<IdempotentResponse> around(
      @Nullable IdempotencyKey key, Supplier<Uni<IdempotentResponse>> repeatable) {
    return find(key)
        .chain(
            kept -> {
              if (kept.isPresent()) {
                return Uni.createFrom().item(kept.get());
              }
              Uni<IdempotentResponse> answer = repeatable.get();
              return key == null
                  ? answer
                  : answer.call(
                      fresh ->
                          pool.withTransaction(tx -> claim(tx, Map.of(key, fresh)))
                              .replaceWithVoid());
            });
  }

  /**
   * Claims keys with their responses in the caller's transaction.
   *
   * @return the keys that were new; the others are claimed by another transaction
   */
  public Uni<Set<String>> claim(SqlConnection tx, Map<IdempotencyKey, IdempotentResponse> answers) {
    if (answers.isEmpty()) {
      return Uni.createFrom().item(Set.of());
    }
    ArrayNode all = Json.mapper().createArrayNode();
    answers.forEach(
        (key, answer) ->
            all.addObject()
                .put("key", key.key())
                .put("body_hash", key.bodyHash())
                .put("status", answer.status())
                .put("location", answer.location())
                .put("body", answer.body()));
    return tx.preparedQuery(
            """
            INSERT INTO orchestrator.idempotency (key, body_hash, status, location, body)
            SELECT key, body_hash, status, location, body FROM json_to_recordset($1::text::json)
              AS v (key text, body_hash text, status int, location text, body text)
            ORDER BY key
            ON CONFLICT (key) DO NOTHING RETURNING key""")
        .execute(Tuple.of(all.toString()))
        .map(IdempotencyService::keys);
  }

  private static Set<String> keys(RowSet<Row> rows) {
    Collection<String> keys = new HashSet<>();
    rows.forEach(row -> keys.add(row.getString("key")));
    return Set.copyOf(keys);
  }
}
