/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.ForkedFrom;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.Workflow;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Builds the row of a run that was created on the log and not through this installation's API: by a
 * foreign program, or by another installation whose archive was restored here.
 */
final class ForeignRunRowBuilder {
  private static final Logger LOG = Logger.getLogger(ForeignRunRowBuilder.class);

  private ForeignRunRowBuilder() {}

  static ObjectNode row(TraceRecord record, TraceEvent.RunCreated created) {
    ObjectNode row = Json.mapper().createObjectNode();
    row.put("id", record.run())
        .put("project", created.project())
        .put("kind", created.kind())
        .put("workflow", created.workflow())
        .put("definition_hash", created.definitionHash())
        .put("isolation", "isolated")
        .put(
            "input",
            created.input() instanceof Output.Inline(var value)
                ? PostgresValueSanitizer.json(value)
                : null)
        .put("restart", created.restart())
        .put("deadline", PostgresValueSanitizer.text(created.deadline()))
        .put("heartbeat_interval_ms", created.heartbeatIntervalMs())
        .put("heartbeat_timeout_ms", created.heartbeatTimeoutMs())
        .put(
            "created_at",
            PostgresValueSanitizer.text(
                created.createdAt() == null ? record.time() : created.createdAt()));
    ObjectNode labels = row.putObject("labels");
    created.labels().forEach(labels::put);
    ForkedFrom from = created.forkedFrom();
    if (from != null) {
      row.put("forked_from", from.run())
          .put("forked_position", from.position())
          .put("forked_step", from.step())
          .put("forked_checkpoint", from.checkpoint());
    }
    String definition = created.definition();
    if (definition != null) {
      addDefinition(row, record.run(), definition, created.definitionHash());
    }
    return row;
  }

  /** Adds the definition only if it matches the run's hash and is valid. */
  private static void addDefinition(
      ObjectNode row, String run, String definition, @Nullable String hash) {
    byte[] canonical = definition.getBytes(StandardCharsets.UTF_8);
    try {
      if (!Digest.of(canonical).equals(hash)) {
        throw new IllegalArgumentException("its hash is not " + hash);
      }
      Workflow workflow = Workflow.fromCanonical(Json.tree(canonical));
      row.put("workflow", workflow.name())
          .put("isolation", workflow.isolation().name().toLowerCase(Locale.ROOT))
          .put("definition", definition);
    } catch (RuntimeException e) {
      LOG.warnf("run %s: ignoring its invalid definition: %s", run, e.getMessage());
    }
  }
}
