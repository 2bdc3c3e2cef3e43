/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;

/** Deletes everything that is stored of a run. */
@Path("/runs/{id}")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "runs")
public class RunDeletionResource {
  private final RunQueryService runs;
  private final RunDeletionCoordinator deletion;
  private final CallerContext callers;

  RunDeletionResource(
      RunQueryService runs, RunDeletionCoordinator deletion, CallerContext callers) {
    this.callers = callers;
    this.runs = runs;
    this.deletion = deletion;
  }

  @DELETE
  @RolesAllowed(ProjectRoles.ADMIN_NAME)
  @APIResponse(
      responseCode = "200",
      description = "The proof of the deletion",
      content = @Content(schema = @Schema(implementation = RunDeletionReport.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(
      operationId = "deleteRun",
      summary =
          "Erase an ended run with its trace and checkpoints, with a proof. 409 while it is"
              + " active, another run needs a checkpoint of it, or (without force) one is pinned.")
  public Uni<RunDeletionReport> delete(
      String id,
      @RestQuery @DefaultValue("false") boolean now,
      @RestQuery @DefaultValue("false") boolean force) {
    return runs.resolve(id, callers.access(AccessRole.ADMIN))
        .chain(run -> deletion.delete(run, now, force));
  }
}
