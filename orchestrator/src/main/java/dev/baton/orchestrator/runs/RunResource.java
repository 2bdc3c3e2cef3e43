/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.baton.orchestrator.events.StoredTraceClient;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.identity.Caller;
import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Serves runs over REST. */
@Path("/runs")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "runs")
public class RunResource {
  private static final int MOST = 1_000;

  /** The body of a label change: null removes a label. */
  public record LabelChanges(Map<String, @Nullable String> changes) {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public LabelChanges {}
  }

  /**
   * The body of a pause.
   *
   * @param now stop the step in progress instead of waiting for its end
   * @param by name of the requester, for the trace
   */
  public record PauseRequest(@Nullable Boolean now, @Nullable String by) {}

  /** The body of a cancellation. */
  public record CancelRequest(@Nullable String reason) {}

  private final RunService service;
  private final RunQueryService queries;
  private final RunCancellationService cancellation;
  private final RunPauseService pausing;
  private final RunResumeService resumption;
  private final RunLabelService labels;
  private final StoredTraceClient store;
  private final CallerContext callers;

  RunResource(
      RunService service,
      RunQueryService queries,
      RunCancellationService cancellation,
      RunPauseService pausing,
      RunResumeService resumption,
      RunLabelService labels,
      StoredTraceClient store,
      CallerContext callers) {
    this.callers = callers;
    this.labels = labels;
    this.service = service;
    this.queries = queries;
    this.cancellation = cancellation;
    this.pausing = pausing;
    this.resumption = resumption;
    this.store = store;
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "201",
      description = "The run is durable",
      headers =
          @Header(
              name = "Location",
              description = "Path of the run",
              schema = @Schema(type = SchemaType.STRING)),
      content = @Content(schema = @Schema(implementation = RunView.class)))
  @ProblemSet({
    ProblemKind.NOT_FOUND,
    ProblemKind.CONFLICT,
    ProblemKind.INVALID_WORKFLOW,
    ProblemKind.INVALID_INPUT,
    ProblemKind.PROJECT_LIMIT
  })
  @Operation(operationId = "createRun", summary = "Create a run. 201 once it is durable.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = RunRequest.class)))
  public Uni<Response> create(
      byte[] body, @HeaderParam(IdempotencyKey.HEADER) @Nullable String key) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    return service
        .create(body, key, callers.access(AccessRole.OPERATOR))
        .map(IdempotentResponse::response);
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/batch")
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "201",
      description = "All runs are durable",
      content = @Content(schema = @Schema(implementation = RunService.Created.class)))
  @ProblemSet({
    ProblemKind.NOT_FOUND,
    ProblemKind.CONFLICT,
    ProblemKind.INVALID_WORKFLOW,
    ProblemKind.INVALID_INPUT,
    ProblemKind.PROJECT_LIMIT
  })
  @Operation(operationId = "createRuns", summary = "Create up to 1,000 runs, all or none.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = RunRequest.Batch.class)))
  public Uni<Response> createMany(
      byte[] body, @HeaderParam(IdempotencyKey.HEADER) @Nullable String key) {
    JsonBodyReader.check(body.length, JsonBodyReader.BATCH_LIMIT);
    return service
        .createMany(body, key, callers.access(AccessRole.OPERATOR))
        .map(IdempotentResponse::response);
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "A page of runs",
      content = @Content(schema = @Schema(implementation = RunQueryService.Page.class)))
  @Operation(operationId = "listRuns", summary = "A page of runs, newest first.")
  public Uni<RunQueryService.Page> list(
      @RestQuery @Nullable List<String> status,
      @RestQuery @Nullable String project,
      @RestQuery @Nullable String workflow,
      @RestQuery @Nullable List<String> label,
      @RestQuery @Nullable String since,
      @RestQuery @Nullable String until,
      @RestQuery @DefaultValue("50") int limit,
      @RestQuery @Nullable String cursor) {
    if (limit < 1 || limit > MOST) {
      throw bad("limit=" + limit, "1 to " + MOST);
    }
    return queries.list(
        RunQueryFilter.of(new RunQueryFilter.Words(status, project, workflow, label, since, until)),
        callers.access(AccessRole.VIEWER).visible(),
        cursor,
        limit);
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{id}")
  @APIResponse(
      responseCode = "200",
      description = "The run",
      content = @Content(schema = @Schema(implementation = RunView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "getRun",
      summary = "A run with its steps, by its id or its last six characters.")
  public Uni<RunView> get(String id) {
    return queries
        .resolve(id, callers.access(AccessRole.VIEWER))
        .chain(queries::get)
        .chain(
            run ->
                queries
                    .seen(run.id())
                    .chain(seen -> store.state(run.id(), seen))
                    .map(state -> run.withSteps(state))
                    // The run's row is still useful while the store is unavailable.
                    .onFailure(ProblemException.class)
                    .recoverWithItem(
                        e -> run.withoutSteps(Objects.requireNonNullElse(e.getMessage(), ""))));
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{id}/input")
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "getRunInput",
      summary = "The run's input as its steps see it; an empty object when it has none.")
  @APIResponse(
      responseCode = "200",
      description = "The input",
      content = @Content(schema = @Schema(type = SchemaType.OBJECT)))
  public Uni<byte[]> input(String id) {
    return queries.resolve(id, callers.access(AccessRole.VIEWER)).chain(queries::input);
  }

  @GET
  @RolesAllowed({ProjectRoles.VIEWER_NAME, Caller.STEP_ROLE})
  @Path("/{id}/epoch")
  @APIResponse(
      responseCode = "200",
      description = "Whether the epoch may act for the run",
      content = @Content(schema = @Schema(implementation = EpochView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "getRunEpoch",
      summary =
          "Whether an epoch holds the run, without delay: a step checks it before an"
              + " irreversible action.")
  public Uni<EpochView> epoch(String id, @RestQuery @Nullable Integer epoch) {
    Caller caller = callers.caller();
    if (!caller.mayReadEpoch(id)) {
      throw new ProblemException(
          ProblemKind.FORBIDDEN, "a step may only ask about its own run, by the run's whole id");
    }
    if (epoch != null && epoch < 1) {
      throw bad("epoch=" + epoch, "1 or more");
    }
    ProjectAccess access =
        caller.run() == null ? callers.access(AccessRole.VIEWER) : ProjectAccess.INTERNAL;
    return queries.resolve(id, access).chain(run -> queries.epoch(run, epoch));
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{id}/lineage")
  @APIResponse(
      responseCode = "200",
      description = "The tree of forks",
      content = @Content(schema = @Schema(implementation = RunQueryService.Lineage.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "getRunLineage",
      summary = "The tree of forks that a run belongs to, oldest first.")
  public Uni<RunQueryService.Lineage> lineage(String id) {
    ProjectAccess access = callers.access(AccessRole.VIEWER);
    return queries.resolve(id, access).chain(run -> queries.lineage(run, access));
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{id}/verification")
  @APIResponse(
      responseCode = "200",
      description = "What the proofs show",
      content = @Content(schema = @Schema(implementation = RunVerificationView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "verifyRun",
      summary = "Verify the signatures and leases of a run's stored events.")
  public Uni<RunVerificationView> verify(String id) {
    return queries
        .resolve(id, callers.access(AccessRole.VIEWER))
        .chain(run -> store.verify(run).map(response -> RunVerificationView.of(run, response)));
  }

  @PATCH
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/{id}/labels")
  @Consumes({MediaType.APPLICATION_JSON, "application/merge-patch+json"})
  @APIResponse(
      responseCode = "200",
      description = "The run with its new labels",
      content = @Content(schema = @Schema(implementation = RunView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(
      operationId = "changeRunLabels",
      summary =
          "Change labels of a run in any status: {\"name\": \"value\"} sets, {\"name\":"
              + " null} removes.")
  @RequestBody(required = true, content = @Content(schema = @Schema(ref = "LabelChanges")))
  public Uni<RunView> label(String id, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    Map<String, @Nullable String> changes = JsonBodyReader.read(body, LabelChanges.class).changes();
    return queries
        .resolve(id, callers.access(AccessRole.OPERATOR))
        .call(run -> labels.change(run, changes))
        .chain(queries::get);
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/{id}/cancel")
  @APIResponse(
      responseCode = "202",
      description = "The cancellation is recorded",
      content = @Content(schema = @Schema(implementation = RunView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(
      operationId = "cancelRun",
      summary = "Cancel a run. Idempotent; 409 when it has ended.")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = CancelRequest.class)))
  public Uni<Response> cancel(String id, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    String reason =
        body.length == 0 ? null : JsonBodyReader.read(body, CancelRequest.class).reason();
    return queries
        .resolve(id, callers.access(AccessRole.OPERATOR))
        .call(run -> cancellation.cancel(run, reason))
        .chain(queries::get)
        .map(run -> Response.accepted(run).build());
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/{id}/pause")
  @APIResponse(
      responseCode = "202",
      description = "The pause is recorded",
      content = @Content(schema = @Schema(implementation = RunView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(
      operationId = "pauseRun",
      summary =
          "Pause a run after the step in progress, or now. Idempotent; 409" + " when it has ended.")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = PauseRequest.class)))
  public Uni<Response> pause(String id, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    PauseRequest asked =
        body.length == 0
            ? new PauseRequest(null, null)
            : JsonBodyReader.read(body, PauseRequest.class);
    ProjectAccess access = callers.access(AccessRole.OPERATOR);
    return queries
        .resolve(id, access)
        .call(
            run ->
                pausing.pause(run, Boolean.TRUE.equals(asked.now()), asked.by(), access.caller()))
        .chain(queries::get)
        .map(run -> Response.accepted(run).build());
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/{id}/resume")
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
      operationId = "resumeRun",
      summary =
          "Resume a run that failed, was lost or is paused: with the step that failed or is"
              + " next, or as the body requests. 409 when that is not possible.")
  @RequestBody(
      required = false,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = ResumeRequest.class)))
  public Uni<Response> resume(String id, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    return resumption
        .resume(id, null, ResumeRequest.read(body), callers.access(AccessRole.OPERATOR))
        .map(run -> Response.accepted(run).build());
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
