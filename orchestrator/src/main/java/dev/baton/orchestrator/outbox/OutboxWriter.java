/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.outbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;

/** Writes outbox rows in the caller's transaction, which holds the lock of the run's row. */
public final class OutboxWriter {
  private static final TypeReference<List<OutboxEffect>> EFFECTS = new TypeReference<>() {};

  /** All rows of a run have the run's priority, so that they stay in order. */
  private static final String PRIORITY =
      "COALESCE((SELECT r.priority FROM orchestrator.run r WHERE r.id = %s), 0)";

  /** A row: effects of a run, in order. */
  public record Row(String run, List<OutboxEffect> effects) {
    public Row {
      effects = List.copyOf(effects);
    }
  }

  private OutboxWriter() {}

  /** Appends a row to be performed after {@code delay}. */
  public static Uni<Void> append(SqlConnection tx, Row row, Duration delay) {
    return tx.preparedQuery(
            """
            INSERT INTO orchestrator.outbox (run, effects, not_before, priority)
            VALUES ($1, $2, now() + $3::bigint * interval '1 millisecond', """
                + PRIORITY.formatted("$1")
                + ")")
        .execute(Tuple.of(row.run(), write(row.effects()), delay.toMillis()))
        .replaceWithVoid();
  }

  /** Appends a row and makes all postponed rows of the run due at once. */
  public static Uni<Void> appendNow(SqlConnection tx, Row row) {
    return hurry(tx, row.run()).chain(() -> append(tx, row, Duration.ZERO));
  }

  /** Makes all postponed rows of the run due at once. */
  public static Uni<Void> hurry(SqlConnection tx, String run) {
    return tx.preparedQuery(
            "UPDATE orchestrator.outbox SET not_before = now(), awaits_slot = false WHERE run = $1")
        .execute(Tuple.of(run))
        .replaceWithVoid();
  }

  /** Appends many rows with one statement. */
  public static Uni<Void> appendAll(SqlConnection tx, List<Row> rows) {
    ArrayNode all = Json.mapper().createArrayNode();
    for (Row row : rows) {
      all.addObject().put("run", row.run()).put("effects", write(row.effects()));
    }
    return tx.preparedQuery(
            """
            INSERT INTO orchestrator.outbox (run, effects, priority)
            SELECT run, effects, """
                + PRIORITY.formatted("v.run")
                + " FROM json_to_recordset($1::text::json) AS v (run text, effects text)")
        .execute(Tuple.of(all.toString()))
        .replaceWithVoid();
  }

  public static String write(List<OutboxEffect> effects) {
    try {
      return Json.mapper().writerFor(EFFECTS).writeValueAsString(effects);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("effects have no JSON form", e);
    }
  }

  public static List<OutboxEffect> read(String effects) {
    try {
      JsonNode tree = Json.mapper().readTree(effects);
      return Json.mapper().readerFor(EFFECTS).readValue(tree);
    } catch (java.io.IOException e) {
      throw new IllegalStateException("an outbox row cannot be read: " + effects, e);
    }
  }
}
