/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.projection;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;

/** The row of a run that was opened on the log by a foreign program and not here. */
final class ForeignRun {
  private ForeignRun() {}

  static ObjectNode row(TraceRecord record, TraceEvent.RunCreated created) {
    ObjectNode row = Json.mapper().createObjectNode();
    row.put("id", record.run())
        .put("project", created.project())
        .put("kind", "external")
        .put("workflow", created.workflow())
        .put("definition_hash", created.definitionHash())
        .put("isolation", "isolated")
        .put(
            "input",
            created.input() instanceof Output.Inline(var value) ? PgBounds.json(value) : null)
        .put("restart", created.restart())
        .put("deadline", PgBounds.text(created.deadline()))
        .put("heartbeat_interval_ms", created.heartbeatIntervalMs())
        .put("heartbeat_timeout_ms", created.heartbeatTimeoutMs())
        .put(
            "created_at",
            PgBounds.text(created.createdAt() == null ? record.time() : created.createdAt()));
    ObjectNode labels = row.putObject("labels");
    created.labels().forEach(labels::put);
    return row;
  }
}
