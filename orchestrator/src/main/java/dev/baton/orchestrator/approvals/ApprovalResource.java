/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.approvals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Lists approvals and accepts their answers over REST. */
@Path("/approvals")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "approvals")
public class ApprovalResource {
  private static final int MOST = 1_000;
  private static final List<String> STATUSES = List.of("waiting", "answered", "expired");

  /**
   * The body of an answer.
   *
   * @param checkpoint digest of the files that the person has seen; the answer is valid for these
   *     only
   */
  public record AnswerRequest(
      @Nullable JsonNode answer,
      @Nullable String by,
      @Nullable String comment,
      @Nullable String checkpoint) {}

  private final ApprovalService approvals;
  private final RunQueryService runs;
  private final CallerContext callers;

  ApprovalResource(ApprovalService approvals, RunQueryService runs, CallerContext callers) {
    this.callers = callers;
    this.approvals = approvals;
    this.runs = runs;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "A page of approvals",
      content = @Content(schema = @Schema(implementation = ApprovalService.Page.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(operationId = "listApprovals", summary = "A page of approvals, oldest first.")
  public Uni<ApprovalService.Page> list(
      @RestQuery @Nullable String status,
      @RestQuery @Nullable String run,
      @RestQuery @DefaultValue("100") int limit,
      @RestQuery @Nullable String cursor) {
    if (status != null && !STATUSES.contains(status)) {
      throw bad("status=" + status, String.join(", ", STATUSES));
    }
    if (limit < 1 || limit > MOST) {
      throw bad("limit=" + limit, "1 to " + MOST);
    }
    ProjectAccess access = callers.access(AccessRole.VIEWER);
    return run == null
        ? approvals.list(status, null, cursor, limit, access)
        : runs.resolve(run, access).chain(id -> approvals.list(status, id, cursor, limit, access));
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{id}")
  @APIResponse(
      responseCode = "200",
      description = "The approval",
      content = @Content(schema = @Schema(implementation = ApprovalView.class)))
  @ProblemSet(ProblemKind.NOT_FOUND)
  @Operation(operationId = "getApproval", summary = "One approval.")
  public Uni<ApprovalView> get(String id) {
    return approvals.get(id, callers.access(AccessRole.VIEWER));
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/{id}")
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "200",
      description = "The answer counts",
      content = @Content(schema = @Schema(implementation = ApprovalView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.CONFLICT, ProblemKind.INVALID_ANSWER})
  @Operation(
      operationId = "answerApproval",
      summary =
          "Answer an approval. A second answer, or an answer for another checkpoint, gets 409.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = AnswerRequest.class)))
  public Uni<Response> answer(
      String id, byte[] body, @HeaderParam(IdempotencyKey.HEADER) @Nullable String key) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    AnswerRequest request = JsonBodyReader.read(body, AnswerRequest.class);
    JsonNode answer = request.answer();
    if (answer == null) {
      throw bad("a body without 'answer'", "{\"answer\": <json>, \"by\": …, \"comment\": …}");
    }
    ProjectAccess access = callers.access(AccessRole.OPERATOR);
    return approvals
        .answer(
            id,
            new ApprovalService.Answer(
                answer,
                new ApprovalService.AnswerDetails(
                    request.by(), request.comment(), request.checkpoint())),
            IdempotencyKey.of(access.caller(), "answer " + id, key, body),
            access)
        .map(IdempotentResponse::response);
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
