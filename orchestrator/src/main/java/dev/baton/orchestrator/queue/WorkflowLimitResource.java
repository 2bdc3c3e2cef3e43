/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.queue;

import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.protocol.identity.AccessRole;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Serves concurrency limits over REST. */
@Path("/workflows/{name}/limit")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "workflows")
public class WorkflowLimitResource {
  /** The body of a change. */
  @Schema(name = "WorkflowLimitRequest")
  public record LimitRequest(@Nullable Integer limit) {}

  private final WorkflowLimitService limits;

  WorkflowLimitResource(WorkflowLimitService limits) {
    this.limits = limits;
  }

  @GET
  @RolesAllowed(AccessRole.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "The limit and its use",
      content = @Content(schema = @Schema(implementation = WorkflowLimitService.Limit.class)))
  @ProblemSet(ProblemKind.NOT_FOUND)
  @Operation(
      operationId = "getWorkflowLimit",
      summary = "The limit of active runs of a workflow per project, and their number.")
  public Uni<WorkflowLimitService.Limit> get(String name) {
    return limits.get(name);
  }

  @PUT
  @RolesAllowed(AccessRole.OPERATOR_NAME)
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "200",
      description = "The limit and its use",
      content = @Content(schema = @Schema(implementation = WorkflowLimitService.Limit.class)))
  @ProblemSet(ProblemKind.NOT_FOUND)
  @Operation(
      operationId = "setWorkflowLimit",
      summary = "Set a limit that overrides the definition's. 0: no more runs begin.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = LimitRequest.class)))
  public Uni<WorkflowLimitService.Limit> set(String name, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    Integer limit = JsonBodyReader.read(body, LimitRequest.class).limit();
    if (limit == null) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "a body without 'limit' is not allowed; allowed: {\"limit\": 0 to 1000000}; DELETE"
              + " removes the limit");
    }
    return limits.set(name, limit);
  }

  @DELETE
  @RolesAllowed(AccessRole.OPERATOR_NAME)
  @APIResponse(
      responseCode = "200",
      description = "The limit and its use",
      content = @Content(schema = @Schema(implementation = WorkflowLimitService.Limit.class)))
  @ProblemSet(ProblemKind.NOT_FOUND)
  @Operation(
      operationId = "removeWorkflowLimit",
      summary = "Remove the override: the definition's limit applies again.")
  public Uni<WorkflowLimitService.Limit> clear(String name) {
    return limits.clear(name);
  }
}
