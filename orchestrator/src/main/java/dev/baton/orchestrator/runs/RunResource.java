/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.events.StoreClient;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.StoredAnswer;
import dev.baton.orchestrator.problem.Bodies;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunStatus;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Runs over REST. */
@Path("/runs")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "runs")
public class RunResource {
  private static final int MOST = 1_000;

  /**
   * The body of a pause.
   *
   * @param now do not wait for the end of the step in progress
   * @param by who asks, for the trace
   */
  public record PauseRequest(@Nullable Boolean now, @Nullable String by) {}

  /** The body of a cancel. */
  public record CancelRequest(@Nullable String reason) {}

  private final RunService service;
  private final RunQueries queries;
  private final Cancellation cancellation;
  private final Pausing pausing;
  private final Resumption resumption;
  private final StoreClient store;

  RunResource(
      RunService service,
      RunQueries queries,
      Cancellation cancellation,
      Pausing pausing,
      Resumption resumption,
      StoreClient store) {
    this.service = service;
    this.queries = queries;
    this.cancellation = cancellation;
    this.pausing = pausing;
    this.resumption = resumption;
    this.store = store;
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(summary = "Create a run. 201 once it is durable.")
  @RequestBody(content = @Content(schema = @Schema(implementation = RunRequest.class)))
  public Uni<Response> create(
      byte[] body, @HeaderParam(IdempotencyKey.HEADER) @Nullable String key) {
    Bodies.check(body.length, Bodies.LIMIT);
    return service
        .create(body, IdempotencyKey.of("create_run", key, body))
        .map(StoredAnswer::response);
  }

  @POST
  @Path("/batch")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(summary = "Create up to 1,000 runs, all or none.")
  @RequestBody(content = @Content(schema = @Schema(implementation = RunRequest.Batch.class)))
  public Uni<Response> createMany(
      byte[] body, @HeaderParam(IdempotencyKey.HEADER) @Nullable String key) {
    Bodies.check(body.length, Bodies.BATCH_LIMIT);
    return service
        .createMany(body, IdempotencyKey.of("create_runs", key, body))
        .map(StoredAnswer::response);
  }

  @GET
  @Operation(summary = "A page of runs, newest first.")
  public Uni<RunQueries.Page> list(
      @RestQuery @Nullable String status,
      @RestQuery @Nullable String workflow,
      @RestQuery @Nullable List<String> label,
      @RestQuery @DefaultValue("50") int limit,
      @RestQuery @Nullable String cursor) {
    if (limit < 1 || limit > MOST) {
      throw bad("limit=" + limit, "1 to " + MOST);
    }
    checkStatus(status);
    int at = workflow == null ? -1 : workflow.indexOf('@');
    return queries.list(
        new RunQueries.Filter(
            status,
            workflow == null ? null : at < 0 ? workflow : workflow.substring(0, at),
            workflow == null || at < 0 ? null : workflow.substring(at + 1),
            labels(label),
            cursor,
            limit));
  }

  private static void checkStatus(@Nullable String status) {
    List<String> words = Arrays.stream(RunStatus.values()).map(RunStatus::word).toList();
    if (status != null && !words.contains(status)) {
      throw bad("status=" + status, words.stream().collect(Collectors.joining(", ")));
    }
  }

  private static @Nullable String labels(@Nullable List<String> labels) {
    if (labels == null || labels.isEmpty()) {
      return null;
    }
    ObjectNode wanted = Json.mapper().createObjectNode();
    for (String label : labels) {
      int equals = label.indexOf('=');
      if (equals < 1) {
        throw bad("label=" + label, "<name>=<value>");
      }
      wanted.put(label.substring(0, equals), label.substring(equals + 1));
    }
    return wanted.toString();
  }

  @GET
  @Path("/{id}")
  @Operation(summary = "A run with its steps, by its id or the last six characters of it.")
  public Uni<RunView> get(String id) {
    return queries
        .resolve(id)
        .chain(queries::get)
        .chain(
            run ->
                queries
                    .seen(run.id())
                    .chain(seen -> store.state(run.id(), seen))
                    .map(state -> run.withSteps(state))
                    // The run itself is worth an answer while the store is away.
                    .onFailure(ProblemException.class)
                    .recoverWithItem(
                        e -> run.withoutSteps(Objects.requireNonNullElse(e.getMessage(), ""))));
  }

  @GET
  @Path("/{id}/lineage")
  @Operation(summary = "The tree of forks that a run belongs to, oldest first.")
  public Uni<RunQueries.Lineage> lineage(String id) {
    return queries.resolve(id).chain(queries::lineage);
  }

  @POST
  @Path("/{id}/cancel")
  @Operation(summary = "End a run. Cancelling twice is the same as once; 409 when it has ended.")
  @RequestBody(content = @Content(schema = @Schema(implementation = CancelRequest.class)))
  public Uni<Response> cancel(String id, byte[] body) {
    Bodies.check(body.length, Bodies.LIMIT);
    String reason = body.length == 0 ? null : Bodies.read(body, CancelRequest.class).reason();
    return queries
        .resolve(id)
        .call(run -> cancellation.cancel(run, reason))
        .chain(queries::get)
        .map(run -> Response.accepted(run).build());
  }

  @POST
  @Path("/{id}/pause")
  @Operation(
      summary =
          "Pause a run after the step in progress, or now. Pausing twice is the same as once; 409 when"
              + " it has ended.")
  @RequestBody(content = @Content(schema = @Schema(implementation = PauseRequest.class)))
  public Uni<Response> pause(String id, byte[] body) {
    Bodies.check(body.length, Bodies.LIMIT);
    PauseRequest asked =
        body.length == 0 ? new PauseRequest(null, null) : Bodies.read(body, PauseRequest.class);
    return queries
        .resolve(id)
        .call(run -> pausing.pause(run, Boolean.TRUE.equals(asked.now()), asked.by()))
        .chain(queries::get)
        .map(run -> Response.accepted(run).build());
  }

  @POST
  @Path("/{id}/resume")
  @Operation(
      summary =
          "Let a run that failed, was lost or is paused go on: with the step that failed or is next, or as"
              + " the body says. 409 when it cannot.")
  @RequestBody(content = @Content(schema = @Schema(implementation = ResumeRequest.class)))
  public Uni<Response> resume(String id, byte[] body) {
    Bodies.check(body.length, Bodies.LIMIT);
    return resumption
        .resume(id, null, ResumeRequest.read(body))
        .map(run -> Response.accepted(run).build());
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
