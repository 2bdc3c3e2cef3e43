/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.baton.protocol.json.Json;
import dev.baton.store.events.StoredEvent;
import dev.baton.store.events.StoredEventRepository;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.snapshot.CutRepository;
import dev.baton.store.snapshot.FoldedState;
import dev.baton.store.snapshot.RunSnapshotService;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestPath;

/** Serves what the store holds of a run: events, snapshot and cuts. Read-only. */
@Path("/runs/{run}")
@Produces(MediaType.APPLICATION_JSON)
@NonBlocking
@Tag(name = "runs")
class StoredRunResource {
  private static final int MOST = 1_000;

  private final StoredEventRepository log;
  private final RunSnapshotService snapshots;
  private final CutRepository cuts;

  StoredRunResource(StoredEventRepository log, RunSnapshotService snapshots, CutRepository cuts) {
    this.log = log;
    this.snapshots = snapshots;
    this.cuts = cuts;
  }

  @GET
  @Path("/events")
  @Operation(
      operationId = "listStoredEvents",
      summary = "A page of the run's events in log order, those of fenced runners included")
  @APIResponse(
      responseCode = "200",
      description = "A page, which may have fewer events than the limit: it has at most 4 MiB",
      content = @Content(schema = @Schema(ref = "StoredEventPage")))
  @APIResponse(ref = "BadRequest", responseCode = "400")
  @APIResponse(ref = "CrossSite", responseCode = "403")
  @APIResponse(ref = "NotFound", responseCode = "404")
  @APIResponse(ref = "Misdirected", responseCode = "421")
  @APIResponse(ref = "Unavailable", responseCode = "503")
  public Uni<byte[]> events(
      @Parameter(description = "Id of the run") @RestPath String run,
      @Parameter(description = "Only events after this position")
          @QueryParam("after")
          @DefaultValue("0")
          long after,
      @Parameter(description = "Largest number of events, 1 to 1,000")
          @QueryParam("limit")
          @DefaultValue("100")
          int limit) {
    String id = StoreRequestValidator.run(run);
    StoreRequestValidator.atLeastZero("after", after);
    StoreRequestValidator.between("limit", limit, 1, MOST);
    return log.page(id, after, Long.MAX_VALUE, limit)
        .map(
            page -> {
              if (page.events().isEmpty() && after == 0) {
                throw StoreRequestException.notFound("run " + id + " has no events");
              }
              return Json.bytes(
                  new EventPage(
                      page.events().stream().map(StoredRunResource::view).toList(), !page.last()));
            });
  }

  @GET
  @Path("/snapshot")
  @Operation(
      operationId = "getRunState",
      summary = "The run's folded state",
      description = "As of the runner_assigned of an epoch, which it waits for, or as of now.")
  @APIResponse(
      responseCode = "200",
      description = "The state",
      content = @Content(schema = @Schema(ref = "StoredRunState")))
  @APIResponse(ref = "BadRequest", responseCode = "400")
  @APIResponse(ref = "CrossSite", responseCode = "403")
  @APIResponse(ref = "NotFound", responseCode = "404")
  @APIResponse(ref = "Misdirected", responseCode = "421")
  @APIResponse(ref = "Unavailable", responseCode = "503")
  @APIResponse(ref = "NotStoredYet", responseCode = "504")
  public Uni<byte[]> snapshot(
      @Parameter(description = "Id of the run") @RestPath String run,
      @Parameter(description = "The epoch whose assignment ends the state; 0: the state of now")
          @QueryParam("epoch")
          @DefaultValue("0")
          int epoch,
      @Parameter(description = "Longest wait for that assignment, in milliseconds")
          @QueryParam("wait_ms")
          @DefaultValue("0")
          int waitMillis) {
    String id = StoreRequestValidator.run(run);
    StoreRequestValidator.atLeastZero("epoch", epoch);
    return (epoch == 0
            ? snapshots.now(id)
            : snapshots.asOf(id, epoch, Duration.ofMillis(waitMillis)))
        .map(folded -> Json.bytes(new StateView(new RawValue(json(folded)), folded.position())));
  }

  private static String json(FoldedState folded) {
    return new String(folded.state(), UTF_8);
  }

  @GET
  @Path("/checkpoints")
  @Operation(
      operationId = "listStoredCheckpoints",
      summary = "The run's checkpoints, newest first, without those of fenced runners")
  @APIResponse(
      responseCode = "200",
      description = "The checkpoints in the trace",
      content = @Content(schema = @Schema(ref = "StoredCheckpointList")))
  @APIResponse(ref = "BadRequest", responseCode = "400")
  @APIResponse(ref = "CrossSite", responseCode = "403")
  @APIResponse(ref = "NotFound", responseCode = "404")
  @APIResponse(ref = "Misdirected", responseCode = "421")
  @APIResponse(ref = "Unavailable", responseCode = "503")
  public Uni<byte[]> checkpoints(@Parameter(description = "Id of the run") @RestPath String run) {
    return cuts.of(StoreRequestValidator.run(run))
        .map(all -> Json.bytes(new CheckpointList(all.stream().map(CutViewMapper::view).toList())));
  }

  record StateView(RawValue state, long position) {}

  record EventPage(List<JsonNode> events, boolean more) {}

  record CheckpointList(List<StoreCutView> checkpoints) {}

  private static JsonNode view(StoredEvent event) {
    ObjectNode view = Json.mapper().createObjectNode();
    view.put("position", event.position());
    view.put("id", event.id().toString());
    view.put("type", event.type());
    view.put("source", event.source());
    if (event.timeMicros() != null) {
      view.put("time", event.time().toString());
    }
    view.set("data", Json.tree(event.data()));
    return view;
  }
}
