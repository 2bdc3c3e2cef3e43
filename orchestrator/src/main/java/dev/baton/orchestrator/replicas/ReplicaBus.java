/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.replicas;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.config.OrchestratorConfig;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * Broadcasts messages to all other replicas with Postgres NOTIFY. A message reaches only the
 * replicas that listen at that moment. Thread-safe.
 */
@ApplicationScoped
public class ReplicaBus {
  private static final Logger LOG = Logger.getLogger(ReplicaBus.class);
  static final String CHANNEL = "baton_orchestrator";

  /** Postgres limits a payload to less than 8000 bytes. */
  private static final int MOST_BYTES = 7_900;

  private static final String NOTIFY = "SELECT pg_notify('" + CHANNEL + "', $1)";

  private final Pool pool;
  private final String self;

  ReplicaBus(Pool pool, OrchestratorConfig config) {
    this.pool = pool;
    this.self = config.instanceId();
  }

  /** Sends a message. Fails when Postgres did not accept it; the caller retries. */
  public Uni<Void> tell(ReplicaMessage message) {
    return pool.preparedQuery(NOTIFY).execute(Tuple.of(encode(self, message))).replaceWithVoid();
  }

  /** Sends a message as part of a transaction, when that commits. */
  public Uni<Void> tell(SqlConnection tx, ReplicaMessage message) {
    return tx.preparedQuery(NOTIFY).execute(Tuple.of(encode(self, message))).replaceWithVoid();
  }

  static String encode(String from, ReplicaMessage message) {
    try {
      ObjectNode envelope = Json.mapper().createObjectNode().put("from", from);
      envelope.set(
          "message",
          Json.mapper()
              .readTree(Json.mapper().writerFor(ReplicaMessage.class).writeValueAsBytes(message)));
      String text = envelope.toString();
      if (text.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
        throw new IllegalArgumentException(
            "a message to other replicas may have at most " + MOST_BYTES + " bytes: " + message);
      }
      return text;
    } catch (java.io.IOException e) {
      throw new IllegalStateException("a message has no JSON form", e);
    }
  }

  /**
   * Decodes a message; empty for one of this replica, and for one of a later version, which is
   * logged.
   */
  Optional<ReplicaMessage> decode(String payload) {
    return decode(self, payload);
  }

  static Optional<ReplicaMessage> decode(String self, String payload) {
    try {
      JsonNode envelope = Json.mapper().readTree(payload);
      if (envelope.path("from").asText().equals(self)) {
        return Optional.empty();
      }
      return Optional.of(Json.mapper().treeToValue(envelope.path("message"), ReplicaMessage.class));
    } catch (JsonProcessingException | IllegalArgumentException e) {
      LOG.warnf("message of another replica: unknown, ignored: %s", payload);
      return Optional.empty();
    }
  }
}
