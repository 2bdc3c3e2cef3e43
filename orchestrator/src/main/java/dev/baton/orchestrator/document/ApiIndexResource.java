/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.document;

import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.common.annotation.NonBlocking;
import io.vertx.ext.web.Router;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Lists at {@code /} what this service serves: as JSON, or as a page for browsers. */
@Path("/")
@NonBlocking
@Tag(name = "documents")
public class ApiIndexResource {
  private static final String OLD_PATH = "/q/openapi";
  private static final String OPENAPI = "/openapi";

  /** A path with its meaning. */
  @Schema(name = "IndexEntry")
  public record Entry(String path, String description) {}

  /** What is served where. */
  @Schema(name = "ApiIndex")
  public record Index(String name, List<Entry> documents, List<Entry> resources) {}

  private static final Index INDEX =
      new Index(
          "Baton",
          List.of(
              new Entry(OPENAPI, "This API as OpenAPI: YAML, or JSON with ?format=json or Accept"),
              new Entry("/asyncapi", "The topics as AsyncAPI"),
              new Entry("/schemas", "JSON Schemas of workflows, manifests, events and signals")),
          List.of(
              new Entry("/workflows", "Definitions"),
              new Entry("/runs", "Runs"),
              new Entry("/approvals", "Approvals"),
              new Entry("/checkpoints", "Checkpoints"),
              new Entry("/archive", "Archived runs"),
              new Entry("/dead-letters", "Records that a consumer could not read"),
              new Entry("/runners", "Runner processes"),
              new Entry("/.well-known/jwks.json", "Public keys of leases"),
              new Entry("/q/health", "Health"),
              new Entry("/q/metrics", "Metrics in the format of Prometheus")));

  /** Keeps the path at which the document was before. */
  void register(@Observes Router router) {
    router
        .get(OLD_PATH)
        .handler(
            context -> {
              String query = context.request().query();
              context.reroute(query == null ? OPENAPI : OPENAPI + "?" + query);
            });
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Produces(MediaType.APPLICATION_JSON)
  @Operation(operationId = "getIndex", summary = "What this service serves, and where.")
  @APIResponse(
      responseCode = "200",
      description = "The index",
      content = @Content(schema = @Schema(implementation = Index.class)))
  public Index index() {
    return INDEX;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Produces(MediaType.TEXT_HTML + ";qs=0.5")
  @Operation(hidden = true)
  public String page() {
    return "<!doctype html><html lang=\"en\"><meta"
        + " charset=\"utf-8\"><title>Baton</title><h1>Baton</h1><h2>Documents</h2>"
        + list(INDEX.documents())
        + "<h2>Resources</h2>"
        + list(INDEX.resources());
  }

  private static String list(List<Entry> entries) {
    return entries.stream()
        .map(
            entry ->
                "<li><a href=\"%1$s\">%1$s</a> %2$s".formatted(entry.path(), entry.description()))
        .collect(Collectors.joining("", "<ul>", "</ul>"));
  }
}
