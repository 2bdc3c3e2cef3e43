/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.protocol.grpc.ListCheckpointsRequest;
import dev.baton.protocol.grpc.PinCheckpointRequest;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/**
 * Serves checkpoints over REST. A short id is searched in a project; a full id needs no project.
 * ({@code POST /checkpoints/{id}} answers an approval, see {@code ApprovalAnswerAliasResource}.)
 */
@Path("/checkpoints")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "checkpoints")
public class CheckpointResource {
  private static final String DEFAULT_PROJECT = "default";

  /** A page of checkpoints, newest first. */
  @Schema(name = "CheckpointPage")
  public record Page(List<StoredCheckpointView> checkpoints, @Nullable String nextCursor) {}

  /** The reason for a pin, and the name of the requester. */
  public record PinRequest(@Nullable String reason, @Nullable String by) {}

  private final CheckpointLookupService checkpoints;
  private final RunQueryService runs;
  private final CallerContext callers;

  CheckpointResource(
      CheckpointLookupService checkpoints, RunQueryService runs, CallerContext callers) {
    this.callers = callers;
    this.checkpoints = checkpoints;
    this.runs = runs;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "A page of checkpoints",
      content = @Content(schema = @Schema(implementation = Page.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "listCheckpoints",
      summary = "A page of a run's or a project's checkpoints, newest first.")
  public Uni<Page> list(
      @RestQuery @Nullable String run,
      @RestQuery @DefaultValue(DEFAULT_PROJECT) String project,
      @RestQuery @DefaultValue("50") int limit,
      @RestQuery @Nullable String cursor) {
    if (limit < 1 || limit > CheckpointLookupService.PAGE) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "limit=" + limit + " is not allowed; allowed: 1 to " + CheckpointLookupService.PAGE);
    }
    ListCheckpointsRequest.Builder request =
        ListCheckpointsRequest.newBuilder()
            .setLimit(limit)
            .setCursor(Objects.requireNonNullElse(cursor, ""));
    ProjectAccess access = callers.access(AccessRole.VIEWER);
    if (run != null) {
      return runs.resolve(run, access).chain(id -> checkpoints.page(request.setRun(id).build()));
    }
    return access.visible().contains(project)
        ? checkpoints.page(request.setProject(project).build())
        : Uni.createFrom().item(new Page(List.of(), null));
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{id}")
  @APIResponse(
      responseCode = "200",
      description = "The checkpoint",
      content = @Content(schema = @Schema(implementation = StoredCheckpointView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(operationId = "getCheckpoint", summary = "A checkpoint with its manifest.")
  public Uni<StoredCheckpointView> get(
      String id, @RestQuery @DefaultValue(DEFAULT_PROJECT) String project) {
    return checkpoints
        .resolve(id, project, callers.access(AccessRole.VIEWER))
        .chain(checkpoints::get);
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{id}/packs")
  @APIResponse(
      responseCode = "200",
      description = "Everything that a restore needs",
      content = @Content(schema = @Schema(implementation = CheckpointDownloadView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(
      operationId = "getCheckpointPacks",
      summary = "The URLs of all packs that a restore needs.")
  public Uni<CheckpointDownloadView> packs(
      String id, @RestQuery @DefaultValue(DEFAULT_PROJECT) String project) {
    return checkpoints
        .resolve(id, project, callers.access(AccessRole.VIEWER))
        .chain(checkpoints::open);
  }

  @PUT
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/{id}/pin")
  @APIResponse(
      responseCode = "200",
      description = "The pinned checkpoint",
      content = @Content(schema = @Schema(implementation = StoredCheckpointView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(operationId = "pinCheckpoint", summary = "Exclude a checkpoint from retention.")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = PinRequest.class)))
  public Uni<StoredCheckpointView> pin(
      String id, @RestQuery @DefaultValue(DEFAULT_PROJECT) String project, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    PinRequest asked =
        body.length == 0 ? new PinRequest(null, null) : JsonBodyReader.read(body, PinRequest.class);
    ControlTextValidator.check("reason", asked.reason());
    ControlTextValidator.check("by", asked.by());
    return pinned(
        id,
        project,
        PinCheckpointRequest.newBuilder()
            .setPinned(true)
            .setReason(Objects.requireNonNullElse(asked.reason(), ""))
            .setBy(callers.access(AccessRole.OPERATOR).caller().author(asked.by())));
  }

  @DELETE
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/{id}/pin")
  @APIResponse(
      responseCode = "200",
      description = "The checkpoint, no longer pinned",
      content = @Content(schema = @Schema(implementation = StoredCheckpointView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(operationId = "unpinCheckpoint", summary = "Apply retention to a checkpoint again.")
  public Uni<StoredCheckpointView> unpin(
      String id, @RestQuery @DefaultValue(DEFAULT_PROJECT) String project) {
    return pinned(id, project, PinCheckpointRequest.newBuilder().setPinned(false));
  }

  private Uni<StoredCheckpointView> pinned(
      String text, String project, PinCheckpointRequest.Builder request) {
    return checkpoints
        .resolve(text, project, callers.access(AccessRole.OPERATOR))
        .chain(id -> checkpoints.pin(request.setId(id).build()));
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/{id}/verify")
  @APIResponse(
      responseCode = "200",
      description = "All damage that was found",
      content = @Content(schema = @Schema(implementation = CheckpointVerificationView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(
      operationId = "verifyCheckpoint",
      summary = "Read all of a checkpoint now and report what is damaged.")
  public Uni<CheckpointVerificationView> verify(
      String id, @RestQuery @DefaultValue(DEFAULT_PROJECT) String project) {
    return checkpoints
        .resolve(id, project, callers.access(AccessRole.OPERATOR))
        .chain(checkpoints::verify);
  }
}
