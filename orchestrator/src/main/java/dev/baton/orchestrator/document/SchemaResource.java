/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.document;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import io.smallrye.common.annotation.NonBlocking;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Serves the AsyncAPI document of the topics and the JSON Schemas of workflows and events. */
@Path("/")
@NonBlocking
@Tag(name = "documents")
public class SchemaResource {
  private static final String SCHEMA_JSON = "application/schema+json";

  /** A schema and where it is. */
  @Schema(name = "SchemaEntry")
  public record Entry(String name, String title, String path) {}

  /** All schemas by name. */
  @Schema(name = "SchemaList")
  public record Listing(List<Entry> schemas) {}

  private final SchemaDocumentRepository documents;

  SchemaResource(SchemaDocumentRepository documents) {
    this.documents = documents;
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("asyncapi")
  @Produces(MediaType.APPLICATION_JSON)
  @Operation(operationId = "getAsyncApi", summary = "The AsyncAPI document of all topics.")
  @APIResponse(
      responseCode = "200",
      description = "AsyncAPI 3.0",
      content = @Content(schema = @Schema(type = SchemaType.OBJECT)))
  public byte[] asyncApi() {
    return documents.asyncApi();
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("schemas")
  @Produces(MediaType.APPLICATION_JSON)
  @Operation(
      operationId = "listSchemas",
      summary = "The JSON Schemas of workflows, manifests, events and signals.")
  @APIResponse(
      responseCode = "200",
      description = "All schemas",
      content = @Content(schema = @Schema(implementation = Listing.class)))
  public Listing list() {
    return new Listing(
        documents.all().entrySet().stream()
            .map(schema -> entry(schema.getKey(), Json.tree(schema.getValue())))
            .toList());
  }

  private static Entry entry(String name, JsonNode schema) {
    return new Entry(name, schema.path("title").asText(), SchemaDocumentRepository.PATH + name);
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("schemas/{path}")
  @Produces({SCHEMA_JSON, MediaType.APPLICATION_JSON})
  @Operation(operationId = "getSchema", summary = "A JSON Schema (2020-12).")
  @ProblemSet(ProblemKind.NOT_FOUND)
  @APIResponse(
      responseCode = "200",
      description = "The schema",
      content = {
        @Content(mediaType = SCHEMA_JSON, schema = @Schema(type = SchemaType.OBJECT)),
        @Content(mediaType = MediaType.APPLICATION_JSON, schema = @Schema(type = SchemaType.OBJECT))
      })
  public byte[] get(String path) {
    return documents
        .find(path)
        .orElseThrow(
            () ->
                new ProblemException(
                    ProblemKind.NOT_FOUND,
                    "unknown schema '"
                        + TextShortener.shorten(path, 200)
                        + "'; allowed: the names at /schemas"));
  }
}
