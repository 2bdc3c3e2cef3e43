/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.workflows;

import com.google.protobuf.ByteString;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.workflow.Workflow;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Loads definitions by hash, and caches the most recently used ones in memory. Thread-safe. */
@ApplicationScoped
public class WorkflowDefinitionCache {
  private static final int KEPT = 256;

  private final Pool pool;
  private final Map<String, StoredWorkflowDefinition> byHash =
      Collections.synchronizedMap(
          new LinkedHashMap<>(KEPT, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(
                Map.Entry<String, StoredWorkflowDefinition> eldest) {
              return size() > KEPT;
            }
          });

  WorkflowDefinitionCache(Pool pool) {
    this.pool = pool;
  }

  /** Fails with a problem when the version does not exist. */
  public Uni<StoredWorkflowDefinition> byHash(String hash) {
    StoredWorkflowDefinition known = byHash.get(hash);
    if (known != null) {
      return Uni.createFrom().item(known);
    }
    return pool.preparedQuery("SELECT definition FROM orchestrator.workflow WHERE hash = $1")
        .execute(Tuple.of(hash))
        .map(
            rows -> {
              for (Row row : rows) {
                return keep(hash, row.getString("definition"));
              }
              throw unknown(hash);
            });
  }

  /**
   * Resolves {@code name} or {@code name@sha256:…} to a definition. Fails with a problem when it is
   * unknown.
   */
  public Uni<StoredWorkflowDefinition> resolve(String reference) {
    int at = reference.indexOf('@');
    if (at < 0) {
      return pool.preparedQuery("SELECT hash FROM orchestrator.workflow_name WHERE name = $1")
          .execute(Tuple.of(reference))
          .chain(
              rows -> {
                for (Row row : rows) {
                  return byHash(row.getString("hash"));
                }
                throw unknown(reference);
              });
    }
    String name = reference.substring(0, at);
    return byHash(reference.substring(at + 1))
        .invoke(
            found -> {
              if (!found.name().equals(name)) {
                throw unknown(reference);
              }
            });
  }

  StoredWorkflowDefinition keep(String hash, String canonical) {
    StoredWorkflowDefinition definition =
        new StoredWorkflowDefinition(
            hash,
            Workflow.fromCanonical(Json.tree(canonical.getBytes(StandardCharsets.UTF_8))),
            ByteString.copyFromUtf8(canonical));
    byHash.put(hash, definition);
    return definition;
  }

  private static ProblemException unknown(String reference) {
    return new ProblemException(
        ProblemKind.NOT_FOUND,
        "no workflow '"
            + TextShortener.shorten(reference, 200)
            + "'; GET /workflows lists all workflows");
  }
}
