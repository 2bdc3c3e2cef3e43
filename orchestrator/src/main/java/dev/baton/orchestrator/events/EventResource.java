/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.events;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.identity.CallerStreamRegistry;
import dev.baton.orchestrator.identity.ProjectAccess;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.orchestrator.runs.RunQueryService;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import io.smallrye.mutiny.Multi;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestMulti;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Serves a run's events and cuts over REST, read from the checkpoint-store. */
@Path("/runs/{id}")
@Tag(name = "events")
public class EventResource {
  private static final int MOST = 10_000;

  /** Number of events per write. */
  private static final int TOGETHER = 8;

  /** A page of events, written while it is read. */
  @Schema(name = "EventPage")
  public record Events(List<RunEventView> events) {}

  private final StoredTraceClient store;
  private final RunQueryService runs;
  private final CallerContext callers;
  private final StreamLimiter streams;

  EventResource(
      StoredTraceClient store, RunQueryService runs, CallerContext callers, StreamLimiter streams) {
    this.streams = streams;
    this.callers = callers;
    this.store = store;
    this.runs = runs;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/events")
  @Produces(MediaType.APPLICATION_JSON)
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.TOO_MANY_STREAMS})
  @Operation(
      operationId = "listRunEvents",
      summary = "The events from after a position, oldest first.")
  @APIResponse(
      responseCode = "200",
      description =
          "A page of events; with `Accept: text/event-stream` each event as it happens: `id` is"
              + " its position, `event` its type, `data` a RunEvent as JSON",
      content = {
        @Content(
            mediaType = MediaType.APPLICATION_JSON,
            schema = @Schema(implementation = Events.class)),
        @Content(
            mediaType = MediaType.SERVER_SENT_EVENTS,
            schema = @Schema(type = SchemaType.STRING))
      })
  @Parameter(
      name = SseKeepAlive.LAST_EVENT_ID,
      in = ParameterIn.HEADER,
      schema = @Schema(type = SchemaType.STRING))
  public Multi<byte[]> page(
      String id,
      @RestQuery @DefaultValue("0") long after,
      @RestQuery @DefaultValue("1000") int limit) {
    if (limit < 1 || limit > MOST || after < 0) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          "after=" + after + ", limit=" + limit + "; allowed: after 0 or more, limit 1 to " + MOST);
    }
    ProjectAccess access = callers.access(AccessRole.VIEWER);
    Multi<List<byte[]>> events =
        streams
            .limited(
                access.caller(),
                runs.resolve(id, access)
                    .onItem()
                    .transformToMulti(
                        run ->
                            runs.seen(run)
                                .onItem()
                                .transformToMulti(seen -> store.events(run, seen, after, limit))))
            .map(event -> Json.bytes(RunEventView.of(event)))
            .group()
            .intoLists()
            .of(TOGETHER);
    return RestMulti.fromMultiData(EventPageWriter.page(events))
        .encodeAsJsonArray(false)
        .withDemand(1)
        .build();
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/events")
  @Produces(MediaType.SERVER_SENT_EVENTS)
  @StreamedRun
  @Operation(hidden = true)
  public Multi<OutboundSseEvent> stream(
      String id,
      @RestQuery @DefaultValue("0") long after,
      @HeaderParam(SseKeepAlive.LAST_EVENT_ID) @Nullable String lastEventId,
      @Context Sse sse) {
    long from = lastEventId == null ? after : SseKeepAlive.position(lastEventId);
    ProjectAccess access = callers.access(AccessRole.VIEWER);
    return streams
        .limited(
            access.caller(),
            runs.resolve(id, access)
                .onItem()
                .transformToMulti(
                    run ->
                        SseKeepAlive.kept(
                            sse,
                            store.follow(run, from).map(RunEventView::of),
                            EventResource::described)))
        .onFailure(CallerStreamRegistry::isEnd)
        .recoverWithItem(failure -> end(sse, (ProblemException) failure, id));
  }

  /** Returns the last message of a stream: a reason; ids are for events of the run only. */
  private static OutboundSseEvent end(Sse sse, ProblemException reason, String id) {
    return sse.newEventBuilder()
        .name("problem")
        .mediaType(MediaType.TEXT_PLAIN_TYPE)
        .data(
            String.class,
            new String(
                Json.bytes(reason.document("/runs/" + id + "/events")), StandardCharsets.UTF_8))
        .build();
  }

  private static OutboundSseEvent.Builder described(
      OutboundSseEvent.Builder builder, RunEventView event) {
    return builder
        .id(Long.toString(event.position()))
        .name(event.type())
        .mediaType(MediaType.TEXT_PLAIN_TYPE)
        .data(String.class, new String(Json.bytes(event), StandardCharsets.UTF_8));
  }
}
