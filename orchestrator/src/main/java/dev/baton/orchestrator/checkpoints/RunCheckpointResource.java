/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Lists the checkpoints in a run's trace, and requests new ones from its runner. */
@Path("/runs/{id}/checkpoints")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "checkpoints")
public class RunCheckpointResource {
  private static final List<String> TRIGGERS = List.of("manual", "detach");

  /** All of them, newest first. */
  @Schema(name = "RunCheckpoints")
  public record CheckpointList(List<RunCheckpointView> checkpoints) {}

  /** The trigger to record for the checkpoint; default {@code manual}. */
  @Schema(name = "CheckpointRequest")
  public record MakeRequest(@Nullable String trigger) {}

  /** A checkpoint that is still being created under this id. */
  @Schema(name = "PendingCheckpoint")
  public record Pending(String id, String run, String status) {}

  private final CheckpointLookupService checkpoints;
  private final OnDemandCheckpointService maker;
  private final RunQueryService runs;
  private final CallerContext callers;

  RunCheckpointResource(
      CheckpointLookupService checkpoints,
      OnDemandCheckpointService maker,
      RunQueryService runs,
      CallerContext callers) {
    this.callers = callers;
    this.checkpoints = checkpoints;
    this.maker = maker;
    this.runs = runs;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "The checkpoints in the trace",
      content = @Content(schema = @Schema(implementation = CheckpointList.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "listRunCheckpoints",
      summary = "The checkpoints from which the run could continue, newest first.")
  public Uni<CheckpointList> list(String id) {
    return runs.resolve(id, callers.access(AccessRole.VIEWER))
        .chain(checkpoints::cuts)
        .map(CheckpointList::new);
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @APIResponse(
      responseCode = "201",
      description = "The checkpoint can be restored",
      headers =
          @Header(
              name = "Location",
              description = "Path of the checkpoint",
              schema = @Schema(type = SchemaType.STRING)),
      content = @Content(schema = @Schema(implementation = StoredCheckpointView.class)))
  @APIResponse(
      responseCode = "202",
      description = "The checkpoint is still being created",
      headers =
          @Header(
              name = "Location",
              description = "Path of the checkpoint once it exists",
              schema = @Schema(type = SchemaType.STRING)),
      content = @Content(schema = @Schema(implementation = Pending.class)))
  @ProblemSet({
    ProblemKind.NOT_FOUND,
    ProblemKind.AMBIGUOUS_ID,
    ProblemKind.CONFLICT,
    ProblemKind.CHECKPOINT_FAILED
  })
  @Operation(
      operationId = "createCheckpoint",
      summary =
          "Create a checkpoint without stopping the run. 201 once it can be restored, 202 where"
              + " that takes longer than 30 s, 409 when no runner carries the run.")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = MakeRequest.class)))
  public Uni<Response> make(String id, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    String asked = body.length == 0 ? null : JsonBodyReader.read(body, MakeRequest.class).trigger();
    String trigger = asked == null ? TRIGGERS.getFirst() : asked;
    if (!TRIGGERS.contains(trigger)) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "trigger '%s' is not allowed; allowed: %s"
              .formatted(trigger, String.join(", ", TRIGGERS)));
    }
    return runs.resolve(id, callers.access(AccessRole.OPERATOR))
        .chain(run -> maker.make(run, trigger))
        .map(RunCheckpointResource::answer);
  }

  private static Response answer(OnDemandCheckpointService.Made made) {
    return switch (made) {
      case OnDemandCheckpointService.Made.Saved(StoredCheckpointView view) ->
          Response.created(URI.create("/checkpoints/" + view.id())).entity(view).build();
      case OnDemandCheckpointService.Made.Underway(String id, String run) ->
          Response.accepted(new Pending(id, run, "pending"))
              .location(URI.create("/checkpoints/" + id))
              .build();
    };
  }
}
