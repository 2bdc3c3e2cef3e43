/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.archive;

import dev.baton.protocol.identity.ProjectRoles;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Serves the git archive at {@code /runs/history}, where clients of other systems look for it. */
@Path("/runs/history")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "archive")
public class ArchiveAliasResource {
  private final ArchiveResource archive;

  ArchiveAliasResource(ArchiveResource archive) {
    this.archive = archive;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "A page of archived runs",
      content = @Content(schema = @Schema(implementation = ArchiveResource.Page.class)))
  @Operation(operationId = "listArchivedRunsByAlias", summary = "Alias of GET /archive.")
  public Uni<ArchiveResource.Page> list(
      @RestQuery @DefaultValue("50") int limit, @RestQuery @Nullable String cursor) {
    return archive.list(limit, cursor);
  }
}
