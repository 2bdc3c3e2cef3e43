/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import dev.baton.protocol.audit.AuditRecord;
import dev.baton.protocol.identity.AccessRole;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** Lists the audit log over REST. */
@Path("/audit")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "audit")
public class AuditResource {
  /** A page of records, newest first. */
  @Schema(name = "AuditPage")
  public record Page(List<AuditRecord> records, @Nullable String nextCursor) {
    public Page {
      records = List.copyOf(records);
    }
  }

  private final AuditRepository records;

  AuditResource(AuditRepository records) {
    this.records = records;
  }

  @GET
  @RolesAllowed(AccessRole.ADMIN_NAME)
  @APIResponse(
      responseCode = "200",
      description = "A page of records",
      content = @Content(schema = @Schema(implementation = Page.class)))
  @Operation(
      operationId = "listAuditRecords",
      summary = "A page of the calls that changed data or were refused, newest first.")
  public Uni<Page> list(
      @RestQuery @Nullable String since,
      @RestQuery @Nullable String until,
      @RestQuery @Nullable String caller,
      @RestQuery @Nullable String project,
      @RestQuery @Nullable String run,
      @RestQuery @Nullable String operation,
      @RestQuery @Nullable String outcome,
      @RestQuery @DefaultValue("50") int limit,
      @RestQuery @Nullable String cursor) {
    AuditQuery query =
        AuditQuery.of(
            new AuditQuery.Words(
                since, until, caller, project, run, operation, outcome, cursor, limit));
    return records
        .list(query)
        .map(
            found ->
                found.size() <= limit
                    ? new Page(found, null)
                    : new Page(found.subList(0, limit), found.get(limit - 1).id()));
  }
}
