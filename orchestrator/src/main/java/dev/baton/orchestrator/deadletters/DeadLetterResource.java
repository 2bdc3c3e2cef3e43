/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.deadletters;

import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.protocol.identity.AccessRole;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Lists dead letters over REST. */
@Path("/dead-letters")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "dead-letters")
public class DeadLetterResource {
  private final DeadLetterReader reader;

  DeadLetterResource(DeadLetterReader reader) {
    this.reader = reader;
  }

  @GET
  @RolesAllowed(AccessRole.ADMIN_NAME)
  @APIResponse(
      responseCode = "200",
      description = "A page of dead letters",
      content = @Content(schema = @Schema(implementation = DeadLetterMerger.Page.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "listDeadLetters",
      summary =
          "A page of the records that a consumer could not read, newest first, with the reason and"
              + " a hint.")
  public Uni<DeadLetterMerger.Page> list(
      @RestQuery @Nullable String run,
      @RestQuery @Nullable String topic,
      @RestQuery @Nullable String reason,
      @RestQuery @DefaultValue("50") int limit,
      @RestQuery @Nullable String cursor) {
    return reader.read(DeadLetterQuery.parse(run, topic, reason, cursor, limit));
  }
}
