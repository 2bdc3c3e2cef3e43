/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.archive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.store.StoreChannel;
import dev.baton.protocol.grpc.ArchivedRun;
import dev.baton.protocol.grpc.ListArchiveRequest;
import dev.baton.protocol.grpc.ProjectFilter;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.identity.ProjectScope;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.RunId;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Lists the runs in the git archive. */
@Path("/archive")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "archive")
public class ArchiveResource {
  private static final int MOST = 1_000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** The fields of a run's manifest that a list shows. */
  private static final List<String> SHOWN =
      List.of(
          "workflow",
          "status",
          "project",
          "definition_hash",
          "labels",
          "created_at",
          "ended_at",
          "forked_from",
          "epoch",
          "events",
          "steps_completed",
          "error",
          "left_out");

  /** A page of archived runs, newest first. */
  @Schema(name = "ArchivePage")
  public record Page(
      @Schema(type = SchemaType.ARRAY, implementation = ArchivedRunEntry.class) List<JsonNode> runs,
      String source,
      @Nullable String nextCursor) {}

  private final StoreChannel store;
  private final CallerContext callers;

  ArchiveResource(StoreChannel store, CallerContext callers) {
    this.callers = callers;
    this.store = store;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "A page of archived runs",
      content = @Content(schema = @Schema(implementation = Page.class)))
  @Operation(
      operationId = "listArchivedRuns",
      summary = "A page of the runs in the git archive, newest first; none without an archive.")
  public Uni<Page> list(
      @RestQuery @DefaultValue("50") int limit, @RestQuery @Nullable String cursor) {
    if (limit < 1 || limit > MOST) {
      throw bad("limit=" + limit, "1 to " + MOST);
    }
    if (cursor != null && !RunId.isValid(cursor)) {
      throw bad("cursor=" + cursor, "the next_cursor of a page");
    }
    ProjectScope visible = callers.access(AccessRole.VIEWER).visible();
    ListArchiveRequest.Builder request =
        ListArchiveRequest.newBuilder().setLimit(limit).setCursor(cursor == null ? "" : cursor);
    if (!visible.all()) {
      request.setVisible(ProjectFilter.newBuilder().addAllProjects(visible.names()));
    }
    return store
        .ask(PATIENCE, call -> call.archive().listArchive(request.build()))
        .map(
            page ->
                new Page(
                    // A store of an earlier version does not filter.
                    page.getRunsList().stream()
                        .map(ArchiveResource::view)
                        .filter(run -> visible.contains(run.path("project").asText()))
                        .toList(),
                    "git",
                    page.getNextCursor().isEmpty() ? null : page.getNextCursor()));
  }

  private static JsonNode view(ArchivedRun run) {
    ObjectNode view = Json.mapper().createObjectNode();
    view.put("run", run.getRun());
    JsonNode manifest = manifest(run);
    for (String name : SHOWN) {
      if (manifest.hasNonNull(name)) {
        view.set(name, manifest.get(name));
      }
    }
    view.put(
        "archived_at", Instant.EPOCH.plus(run.getArchivedAtMicros(), ChronoUnit.MICROS).toString());
    view.put("commit", run.getCommit());
    return view;
  }

  /**
   * Returns a placeholder when the manifest is not valid JSON: the repository may contain any data.
   */
  private static JsonNode manifest(ArchivedRun run) {
    try {
      return Json.tree(run.getManifest().toByteArray());
    } catch (UncheckedIOException e) {
      return Json.mapper().createObjectNode().put("status", "unreadable");
    }
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
