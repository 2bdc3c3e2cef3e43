/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.notification;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.EventTypeRegistry;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the notifications of events. The projection writes the rows in the transaction that folds
 * the event, so a crash loses none and adds none. A row has the event's id, with which a receiver
 * detects duplicates.
 */
@ApplicationScoped
public class NotificationWriter {
  /** Of these events only those of agents that continue in a new session. */
  private static final String AGENT_SESSION = "agent_session_created";

  /** The event types that can be configured. */
  public static final Set<String> EVENTS =
      Set.of(
          "run_lost",
          "run_failed",
          "run_cancelled",
          "run_completed",
          "run_degraded",
          AGENT_SESSION);

  private static final String INSERT =
      """
      INSERT INTO orchestrator.notification (id, channel, run, event, body)
      SELECT v.id, c.channel, v.run, v.event,
        json_build_object('id', v.id, 'type', v.event, 'timestamp', v.at, 'data', json_build_object(
          'run', r.id, 'display_id', r.display_id, 'project', r.project, 'workflow', r.workflow,
          'labels', r.labels, 'epoch', r.epoch, 'event', v.data))::text
      FROM json_to_recordset($1::text::json) AS v (id text, run text, event text, at text, data json)
        JOIN orchestrator.run r ON r.id = v.run, unnest($2::text[]) AS c (channel)
      ON CONFLICT DO NOTHING""";

  private final Set<String> wanted;
  private final String[] channels;

  @Inject
  NotificationWriter(OrchestratorConfig config) {
    this(
        Set.copyOf(config.notifications().events()),
        config.notifications().webhook().url().isPresent());
  }

  NotificationWriter(Set<String> wanted, boolean webhook) {
    this.wanted = wanted;
    channels = webhook ? new String[] {"topic", "webhook"} : new String[] {"topic"};
  }

  /**
   * Builds the notification of an event that the fold has accepted; empty when its type is not
   * configured, and for an agent's session that replaces no lost one.
   */
  public Optional<ObjectNode> of(TraceRecord record) {
    String type = EventTypeRegistry.of(record.event()).substring(EventTypeRegistry.PREFIX.length());
    if (!wanted.contains(type) || isOrdinarySession(record.event())) {
      return Optional.empty();
    }
    ObjectNode row =
        Json.mapper()
            .createObjectNode()
            .put("id", record.id().toString())
            .put("run", record.run())
            .put("event", type)
            .put("at", record.time().toString());
    row.set("data", Json.tree(Json.bytes(record.event())));
    return Optional.of(row);
  }

  private static boolean isOrdinarySession(TraceEvent event) {
    return event instanceof TraceEvent.AgentSessionCreated session && session.degraded() == null;
  }

  /**
   * Inserts notifications in the transaction that writes the events' runs, after them.
   *
   * @param rows a JSON array of {@link #of}, without NUL characters
   */
  public Uni<Void> write(SqlConnection tx, String rows) {
    return tx.preparedQuery(INSERT).execute(Tuple.of(rows, channels)).replaceWithVoid();
  }
}
