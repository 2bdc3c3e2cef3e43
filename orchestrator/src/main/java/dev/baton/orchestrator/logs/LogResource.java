/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.logs;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.CallerStreamRegistry;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Multi;
import io.vertx.core.buffer.Buffer;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Serves a run's log over REST, one JSON object per line. */
@Path("/runs/{id}/logs")
@Tag(name = "logs")
public class LogResource {
  private final LogReader reader;
  private final RunQueryService runs;
  private final CallerContext callers;
  private final CallerStreamRegistry streams;

  LogResource(
      LogReader reader, RunQueryService runs, CallerContext callers, CallerStreamRegistry streams) {
    this.streams = streams;
    this.callers = callers;
    this.reader = reader;
    this.runs = runs;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Produces("application/x-ndjson")
  @APIResponse(
      responseCode = "200",
      description = "One LogLine as JSON in each line",
      content =
          @Content(
              mediaType = "application/x-ndjson",
              schema = @Schema(implementation = LogLineView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID})
  @Operation(
      operationId = "readRunLog",
      summary =
          "The output of the steps in order, one JSON object per line: from a position"
              + " (epoch:line), of a time range, or the last lines; with follow until the run has"
              + " ended.")
  public Multi<Buffer> read(
      String id,
      @RestQuery @Nullable String step,
      @RestQuery @DefaultValue("0") int visit,
      @RestQuery @DefaultValue("0") int attempt,
      @RestQuery @Nullable String from,
      @RestQuery @Nullable String since,
      @RestQuery @Nullable String until,
      @RestQuery @DefaultValue("0") long tail,
      @RestQuery @DefaultValue("0") long limit,
      @RestQuery @DefaultValue("false") boolean follow) {
    LogRequest request =
        new LogRequest(
            LogRequest.epoch(from),
            LogRequest.line(from),
            step,
            visit,
            attempt,
            LogRequest.time("since", since),
            LogRequest.time("until", until),
            tail,
            limit,
            follow);
    ProjectAccess access = callers.access(AccessRole.VIEWER);
    return streams
        .guarded(
            access.caller(),
            runs.resolve(id, access)
                .chain(runs::get)
                .onItem()
                .transformToMulti(run -> reader.read(run, request)))
        .onFailure(CallerStreamRegistry::isEnd)
        .recoverWithMulti(LogResource::end);
  }

  /** Returns a line with the reason, and fails: a log that ends here is not complete. */
  private static Multi<Buffer> end(Throwable failure) {
    LogLineView reason = LogLineView.notice(0, 0, String.valueOf(failure.getMessage()), null);
    return Multi.createBy()
        .concatenating()
        .streams(
            Multi.createFrom().item(Buffer.buffer(Json.bytes(reason))),
            Multi.createFrom().failure(failure));
  }
}
