/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import com.google.protobuf.ByteString;
import dev.baton.orchestrator.reconcile.RunRowReader;
import dev.baton.protocol.grpc.Answer;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.IsolationMode;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Loads the state that is needed to assign runs to runners. */
@ApplicationScoped
public class RunControlStateLoader {
  private static final String SELECT =
      "SELECT "
          + RunRowReader.COLUMNS
          + """
            , r.project, r.isolation, r.forked_from IS NOT NULL AS forked, r.created_at, r.heartbeat_interval_ms,
              r.heartbeat_timeout_ms, r.input, r.labels::text AS labels, r.priority, r.home_partition FROM """
          + " "
          + RunRowReader.TABLES;

  private final Pool pool;

  RunControlStateLoader(Pool pool) {
    this.pool = pool;
  }

  /** Loads by run id; runs that do not exist are absent. */
  public Uni<Map<String, RunControlState>> load(Collection<String> runs) {
    return pool.preparedQuery(SELECT + "WHERE r.id = ANY($1)")
        .execute(Tuple.of(runs.toArray(String[]::new)))
        .chain(this::withAnswers);
  }

  /** Like {@link #load}, for these runs and all open runs assigned to this runner. */
  Uni<Map<String, RunControlState>> loadOf(String runner, Collection<String> runs) {
    return pool.preparedQuery(
            SELECT
                + "WHERE r.id = ANY($1) OR r.id IN (SELECT w.id FROM orchestrator.run_wanting_runner w WHERE w.runner_id = $2)")
        .execute(Tuple.of(runs.toArray(String[]::new), runner))
        .chain(this::withAnswers);
  }

  /** Returns an answer as it is sent; null when there is none. */
  Uni<@Nullable Answer> answer(String approval) {
    return pool.preparedQuery(
            "SELECT id, run, answer, answered_by FROM orchestrator.approval WHERE id = $1 AND status = 'answered'")
        .execute(Tuple.of(approval))
        .map(
            rows -> {
              for (Row row : rows) {
                return answer(row);
              }
              return null;
            });
  }

  private Uni<Map<String, RunControlState>> withAnswers(RowSet<Row> rows) {
    List<Row> runs = new ArrayList<>();
    rows.forEach(runs::add);
    // A run that no runner has started has no approvals: the common case needs no query.
    String[] asked =
        runs.stream()
            .filter(row -> row.getInteger("epoch") > 1 || row.getInteger("started_epoch") > 0)
            .map(row -> row.getString("id"))
            .toArray(String[]::new);
    if (asked.length == 0) {
      return Uni.createFrom().item(contexts(runs, Map.of()));
    }
    return pool.preparedQuery(
            """
            SELECT id, run, answer, answered_by FROM orchestrator.approval
            WHERE run = ANY($1) AND status = 'answered' ORDER BY answered_at""")
        .execute(Tuple.of(asked))
        .map(
            answered -> {
              Map<String, List<Answer>> byRun = new HashMap<>();
              answered.forEach(
                  row ->
                      byRun
                          .computeIfAbsent(row.getString("run"), run -> new ArrayList<>())
                          .add(answer(row)));
              return contexts(runs, byRun);
            });
  }

  private static Map<String, RunControlState> contexts(
      List<Row> rows, Map<String, List<Answer>> answers) {
    Map<String, RunControlState> contexts = new HashMap<>();
    for (Row row : rows) {
      String id = row.getString("id");
      contexts.put(
          id,
          new RunControlState(
              RunRowReader.read(row),
              row.getString("project"),
              IsolationMode.valueOf(row.getString("isolation").toUpperCase(Locale.ROOT)),
              row.getBoolean("forked"),
              row.getOffsetDateTime("created_at").toInstant(),
              row.getLong("heartbeat_interval_ms"),
              row.getLong("heartbeat_timeout_ms"),
              row.getString("input"),
              labels(row.getString("labels")),
              answers.getOrDefault(id, List.of()),
              row.getInteger("priority"),
              row.getInteger("home_partition")));
    }
    return contexts;
  }

  private static Map<String, String> labels(String json) {
    Map<String, String> labels = new HashMap<>();
    Json.tree(json.getBytes(StandardCharsets.UTF_8))
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().textValue()));
    return labels;
  }

  private static Answer answer(Row row) {
    return Answer.newBuilder()
        .setRun(row.getString("run"))
        .setApproval(row.getString("id"))
        .setAnswer(ByteString.copyFromUtf8(row.getString("answer")))
        .setBy(Objects.requireNonNullElse(row.getString("answered_by"), ""))
        .build();
  }
}
