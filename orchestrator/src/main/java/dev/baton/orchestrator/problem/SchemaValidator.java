/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.workflow.InputSchema;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/**
 * Validates untrusted values against untrusted schemas on a worker thread, since a pattern may use
 * all of the time that {@link InputSchema} allows for a validation. Thread-safe.
 */
@ApplicationScoped
public class SchemaValidator {
  private final Vertx vertx;

  SchemaValidator(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * @param kind of the problem when the value does not match
   * @param message of that problem
   * @return completes on the caller's event loop; fails with a problem that contains every
   *     violation
   */
  public Uni<Void> check(InputSchema schema, JsonNode value, ProblemKind kind, String message) {
    if (schema.equals(InputSchema.ANY)) {
      return Uni.createFrom().voidItem();
    }
    return vertx
        .executeBlocking(() -> schema.validate(value), false)
        .invoke(violations -> refuse(violations, kind, message))
        .replaceWithVoid();
  }

  private static void refuse(
      List<InputSchema.Violation> violations, ProblemKind kind, String message) {
    if (!violations.isEmpty()) {
      throw ProblemException.withErrors(
          kind, message, violations.stream().map(FieldProblem::of).toList());
    }
  }
}
