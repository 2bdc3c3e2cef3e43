/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.bulk;

import dev.baton.orchestrator.checkpoints.RunDeletionCoordinator;
import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.runs.RunCancellationService;
import dev.baton.orchestrator.runs.RunQueryFilter;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.orchestrator.runs.RunView;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.state.RunStatus;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/**
 * Cancels or deletes the runs that match a filter, one page per request. Each run is handled like a
 * single request for it; a run that fails does not stop the others.
 */
@Path("/runs/bulk")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.APPLICATION_JSON)
@Tag(name = "runs")
public class BulkRunResource {
  private static final int MOST = 1_000;
  private static final int DEFAULT_LIMIT = 100;
  private static final int AT_ONCE = 8;

  /** A filter with the parameters of {@code GET /runs}. */
  @Schema(name = "RunFilter")
  public record FilterRequest(
      @Nullable List<String> status,
      @Nullable String project,
      @Nullable String workflow,
      @Nullable Map<String, String> labels,
      @Nullable String since,
      @Nullable String until) {}

  /**
   * @param all required as {@code true} when no filter is given
   * @param limit 1 to 1,000 runs; default 100
   * @param cursor of the previous response
   * @param dryRun only report which runs match
   * @param reason for cancel: stored in the runs' traces
   * @param now for delete: deletes unreferenced files at once
   * @param force for delete: deletes a run even if a checkpoint is pinned
   */
  @Schema(name = "BulkRunRequest")
  public record BulkRequest(
      @Nullable FilterRequest filter,
      @Nullable Boolean all,
      @Nullable Integer limit,
      @Nullable String cursor,
      @Nullable Boolean dryRun,
      @Nullable String reason,
      @Nullable Boolean now,
      @Nullable Boolean force) {}

  /**
   * The result for one run.
   *
   * @param outcome {@code would_be_cancelled cancelled would_be_deleted deleted failed}
   * @param detail why it failed; null otherwise
   */
  @Schema(name = "BulkRunResult")
  public record Result(
      String run,
      @Nullable String workflow,
      String status,
      String outcome,
      @Nullable String detail) {}

  /**
   * @param nextCursor for the next page; null when there are no more runs
   */
  @Schema(name = "BulkRunResults")
  public record Results(List<Result> results, int failed, @Nullable String nextCursor) {}

  private final RunQueryService runs;
  private final RunCancellationService cancellation;
  private final RunDeletionCoordinator deletion;
  private final CallerContext callers;

  BulkRunResource(
      RunQueryService runs,
      RunCancellationService cancellation,
      RunDeletionCoordinator deletion,
      CallerContext callers) {
    this.callers = callers;
    this.runs = runs;
    this.cancellation = cancellation;
    this.deletion = deletion;
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/cancel")
  @APIResponse(
      responseCode = "200",
      description = "The result for each run of the page",
      content = @Content(schema = @Schema(implementation = Results.class)))
  @Operation(
      operationId = "cancelRuns",
      summary = "Cancel the active runs that match a filter, page by page.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = BulkRequest.class)))
  public Uni<Results> cancel(byte[] body) {
    BulkRequest request = read(body);
    return each(
        request,
        callers.access(AccessRole.OPERATOR),
        statuses(false),
        "cancelled",
        run -> cancellation.cancel(run, request.reason()).replaceWithVoid());
  }

  @POST
  @RolesAllowed(ProjectRoles.ADMIN_NAME)
  @Path("/delete")
  @APIResponse(
      responseCode = "200",
      description = "The result for each run of the page",
      content = @Content(schema = @Schema(implementation = Results.class)))
  @Operation(
      operationId = "deleteRuns",
      summary = "Delete the ended runs that match a filter, page by page.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = BulkRequest.class)))
  public Uni<Results> delete(byte[] body) {
    BulkRequest request = read(body);
    return each(
        request,
        callers.access(AccessRole.ADMIN),
        statuses(true),
        "deleted",
        run ->
            deletion.delete(run, isTrue(request.now()), isTrue(request.force())).replaceWithVoid());
  }

  private static BulkRequest read(byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    return JsonBodyReader.read(body, BulkRequest.class);
  }

  private static List<String> statuses(boolean ended) {
    return Arrays.stream(RunStatus.values())
        .filter(status -> status.isTerminal() == ended)
        .map(RunStatus::word)
        .toList();
  }

  private Uni<Results> each(
      BulkRequest request,
      ProjectAccess access,
      List<String> statuses,
      String done,
      Function<String, Uni<Void>> action) {
    RunQueryFilter filter = filter(request).orStatuses(statuses);
    int limit = Objects.requireNonNullElse(request.limit(), DEFAULT_LIMIT);
    if (limit < 1 || limit > MOST) {
      throw bad("limit " + limit, "1 to " + MOST);
    }
    return runs.list(filter, access.permitted(), request.cursor(), limit)
        .chain(
            page ->
                (isTrue(request.dryRun())
                        ? Uni.createFrom()
                            .item(
                                page.runs().stream()
                                    .map(run -> result(run, "would_be_" + done, null))
                                    .toList())
                        : done(page.runs(), done, action, access))
                    .map(results -> results(results, page.nextCursor())));
  }

  private static Uni<List<Result>> done(
      List<RunView> runs, String done, Function<String, Uni<Void>> action, ProjectAccess access) {
    for (RunView run : runs) {
      access.require(run.project());
      access.noteRun(run.id());
    }
    return Multi.createFrom()
        .iterable(runs)
        .onItem()
        .transformToUni(
            run ->
                Uni.createFrom()
                    .deferred(() -> action.apply(run.id()))
                    .map(nothing -> result(run, done, null))
                    .onFailure(ProblemException.class)
                    .recoverWithItem(
                        e -> result(run, "failed", Objects.requireNonNullElse(e.getMessage(), ""))))
        .merge(AT_ONCE)
        .collect()
        .asList();
  }

  private static Result result(RunView run, String outcome, @Nullable String detail) {
    return new Result(run.id(), run.workflow(), run.status(), outcome, detail);
  }

  private static Results results(List<Result> results, @Nullable String next) {
    List<Result> newestFirst = new ArrayList<>(results);
    newestFirst.sort(Comparator.comparing(Result::run).reversed());
    int failed = (int) results.stream().filter(result -> result.outcome().equals("failed")).count();
    return new Results(newestFirst, failed, next);
  }

  private static RunQueryFilter filter(BulkRequest request) {
    FilterRequest asked = request.filter();
    Map<String, String> labels =
        asked == null || asked.labels() == null ? Map.of() : asked.labels();
    RunQueryFilter filter =
        RunQueryFilter.of(
            asked == null
                ? new RunQueryFilter.Words(null, null, null, null, null, null)
                : new RunQueryFilter.Words(
                    asked.status(),
                    asked.project(),
                    asked.workflow(),
                    labels.entrySet().stream()
                        .map(label -> label.getKey() + "=" + label.getValue())
                        .toList(),
                    asked.since(),
                    asked.until()));
    if (filter.isEmpty() && !isTrue(request.all())) {
      throw bad("a request without a filter", "some of 'filter', or 'all': true");
    }
    return filter;
  }

  private static boolean isTrue(@Nullable Boolean value) {
    return Boolean.TRUE.equals(value);
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
