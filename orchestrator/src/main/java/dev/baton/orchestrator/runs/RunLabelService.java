/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.outbox.OutboxEffect;
import dev.baton.orchestrator.outbox.OutboxRelay;
import dev.baton.orchestrator.outbox.OutboxWriter;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.TraceEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Changes the labels of a run in any status, since labels are the operator's metadata. */
@ApplicationScoped
class RunLabelService {
  private static final int MOST = 64;
  private static final int LONGEST = 256;

  private final Pool pool;
  private final OutboxRelay relay;

  RunLabelService(Pool pool, OutboxRelay relay) {
    this.pool = pool;
    this.relay = relay;
  }

  /**
   * @return the given labels; empty for null
   * @throws ProblemException when there are too many labels, or a name or value is not allowed
   */
  static Map<String, String> check(@Nullable Map<String, String> given) {
    Map<String, String> labels = given == null ? Map.of() : given;
    if (labels.size() > MOST) {
      throw bad("labels", labels.size() + " labels", "at most " + MOST);
    }
    labels.forEach(
        (name, value) -> {
          checkName(name);
          if (value == null || value.length() > LONGEST || ControlTextValidator.hasNul(value)) {
            throw bad(
                "labels." + name,
                "the label's value is not allowed",
                "text of at most 256 characters, no NUL");
          }
        });
    return labels;
  }

  private static void checkName(String name) {
    if (name.isEmpty()
        || name.length() > LONGEST
        || name.indexOf('=') >= 0
        || ControlTextValidator.hasNul(name)) {
      throw bad(
          "labels",
          "label '" + name + "' does not have an allowed name",
          "1 to 256 characters without '=' and NUL");
    }
  }

  /**
   * Sets labels with a value and removes those with null. Fails with a problem when the run does
   * not exist, or the resulting labels are not allowed.
   */
  Uni<Void> change(String run, Map<String, @Nullable String> changes) {
    changes.keySet().forEach(RunLabelService::checkName);
    return pool.withTransaction(tx -> change(tx, run, changes)).invoke(relay::wake);
  }

  private static Uni<Void> change(
      SqlConnection tx, String run, Map<String, @Nullable String> changes) {
    return tx.preparedQuery(
            "SELECT labels::text AS labels, control_seq FROM orchestrator.run WHERE id = $1 FOR UPDATE")
        .execute(Tuple.of(run))
        .chain(
            rows -> {
              for (Row row : rows) {
                return change(tx, run, row, changes);
              }
              throw RunQueryService.unknown(run);
            });
  }

  private static Uni<Void> change(
      SqlConnection tx, String run, Row row, Map<String, @Nullable String> changes) {
    Map<String, String> before = new TreeMap<>();
    Json.tree(row.getString("labels").getBytes(StandardCharsets.UTF_8))
        .properties()
        .forEach(label -> before.put(label.getKey(), label.getValue().textValue()));
    Map<String, String> after = new TreeMap<>(before);
    changes.forEach(
        (name, value) -> {
          if (value == null) {
            after.remove(name);
          } else {
            after.put(name, value);
          }
        });
    check(after);
    if (after.equals(before)) {
      return Uni.createFrom().voidItem();
    }
    long seq = row.getLong("control_seq") + 1;
    OutboxEffect told =
        OutboxEffect.publish(new TraceEvent.LabelsChanged(after, null), seq, Instant.now());
    return tx.preparedQuery(
            "UPDATE orchestrator.run SET labels = $2::text::jsonb, control_seq = $3 WHERE id = $1")
        .execute(Tuple.of(run, Json.mapper().valueToTree(after).toString(), seq))
        .chain(
            () -> OutboxWriter.append(tx, new OutboxWriter.Row(run, List.of(told)), Duration.ZERO));
  }

  private static ProblemException bad(String path, String message, String allowed) {
    return ProblemException.withErrors(
        ProblemKind.BAD_PARAMETER,
        message + "; allowed: " + allowed,
        List.of(FieldProblem.at(path, message, allowed)));
  }
}
