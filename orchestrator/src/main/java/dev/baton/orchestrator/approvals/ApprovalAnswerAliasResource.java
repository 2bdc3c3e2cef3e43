/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
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
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/**
 * Takes an approval's answer at {@code POST /checkpoints/{approval}}, where clients of other
 * systems send it. Checkpoints have no POST of their own at this path.
 */
@Path("/checkpoints/{id}")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "approvals")
public class ApprovalAnswerAliasResource {
  private final ApprovalResource approvals;

  ApprovalAnswerAliasResource(ApprovalResource approvals) {
    this.approvals = approvals;
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "200",
      description = "The answer counts",
      content = @Content(schema = @Schema(implementation = ApprovalView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.CONFLICT, ProblemKind.INVALID_ANSWER})
  @Operation(operationId = "answerApprovalByAlias", summary = "Alias of POST /approvals/{id}.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = ApprovalResource.AnswerRequest.class)))
  public Uni<Response> answer(
      String id, byte[] body, @HeaderParam(IdempotencyKey.HEADER) @Nullable String key) {
    return approvals.answer(id, body, key);
  }
}
