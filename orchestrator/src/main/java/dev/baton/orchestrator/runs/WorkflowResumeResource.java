/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Resumes a run of a given workflow; rejects runs of other workflows. */
@Path("/workflows/{reference}/resume/{run}")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "runs")
public class WorkflowResumeResource {
  private final RunResumeService resumption;
  private final CallerContext callers;

  WorkflowResumeResource(RunResumeService resumption, CallerContext callers) {
    this.callers = callers;
    this.resumption = resumption;
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @APIResponse(
      responseCode = "202",
      description = "The resume is recorded",
      content = @Content(schema = @Schema(implementation = RunView.class)))
  @ProblemSet({
    ProblemKind.NOT_FOUND,
    ProblemKind.AMBIGUOUS_ID,
    ProblemKind.CONFLICT,
    ProblemKind.INVALID_WORKFLOW
  })
  @Operation(
      operationId = "resumeRunOfWorkflow",
      summary = "Like POST /runs/{id}/resume; 409 when the run has another workflow.")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = ResumeRequest.class)))
  public Uni<Response> resume(String reference, String run, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    return resumption
        .resume(run, reference, ResumeRequest.read(body), callers.access(AccessRole.OPERATOR))
        .map(view -> Response.accepted(view).build());
  }
}
