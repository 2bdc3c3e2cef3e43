/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Creates runs from the checkpoints of other runs. */
@Path("/runs/{id}/fork")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "runs")
public class ForkResource {
  private final RunForkService forks;
  private final CallerContext callers;

  ForkResource(RunForkService forks, CallerContext callers) {
    this.callers = callers;
    this.forks = forks;
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "201",
      description = "The fork is durable",
      headers =
          @Header(
              name = "Location",
              description = "Path of the fork",
              schema = @Schema(type = SchemaType.STRING)),
      content = @Content(schema = @Schema(implementation = RunView.class)))
  @ProblemSet({
    ProblemKind.NOT_FOUND,
    ProblemKind.AMBIGUOUS_ID,
    ProblemKind.CONFLICT,
    ProblemKind.INVALID_WORKFLOW,
    ProblemKind.INVALID_INPUT,
    ProblemKind.PROJECT_LIMIT
  })
  @Operation(
      operationId = "forkRun",
      summary =
          "Create a run that begins from a checkpoint of this one, which is not changed. 201 once"
              + " it is durable, 409 when the cut, or that definition, cannot be used.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = ForkRequest.class)))
  public Uni<Response> fork(
      String id, byte[] body, @HeaderParam(IdempotencyKey.HEADER) @Nullable String key) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    ForkRequest request = JsonBodyReader.read(body, ForkRequest.class);
    ProjectAccess access = callers.access(AccessRole.OPERATOR);
    return forks
        .fork(id, request, IdempotencyKey.of(access.caller(), "fork_run " + id, key, body), access)
        .map(IdempotentResponse::response);
  }
}
