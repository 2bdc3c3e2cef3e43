/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.workflows;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.idempotency.IdempotencyKey;
import dev.baton.orchestrator.idempotency.IdempotencyService;
import dev.baton.orchestrator.idempotency.IdempotentResponse;
import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.problem.FieldProblem;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.DefinitionFormat;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Serves workflow definitions over REST. */
@Path("/workflows")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "workflows")
public class WorkflowResource {
  private static final int MOST = 1_000;
  private static final String DOT = "text/vnd.graphviz";

  /** All names. */
  @Schema(name = "WorkflowList")
  public record Listing(List<WorkflowCatalog.Listed> workflows) {}

  /** A version with its definition. */
  @Schema(name = "WorkflowDetail")
  public record Shown(
      String name, String hash, JsonNode definition, List<WorkflowCatalog.Version> versions) {}

  /** The result of a validation. */
  @Schema(name = "WorkflowValidation")
  public record Checked(String name, String hash, List<FieldProblem> warnings) {}

  private final WorkflowCatalog catalog;
  private final WorkflowDefinitionCache definitions;
  private final IdempotencyService keys;
  private final CallerContext callers;

  WorkflowResource(
      WorkflowCatalog catalog,
      WorkflowDefinitionCache definitions,
      IdempotencyService keys,
      CallerContext callers) {
    this.callers = callers;
    this.catalog = catalog;
    this.definitions = definitions;
    this.keys = keys;
  }

  @POST
  @RolesAllowed(AccessRole.OPERATOR_NAME)
  @Consumes({
    "application/yaml",
    "text/yaml",
    "application/x-yaml",
    "text/x-yaml",
    DOT,
    MediaType.APPLICATION_JSON
  })
  @APIResponse(
      responseCode = "200",
      description = "This version was stored before",
      headers =
          @Header(
              name = "Location",
              description = "Path of the version",
              schema = @Schema(type = SchemaType.STRING)),
      content = @Content(schema = @Schema(implementation = WorkflowCatalog.Put.class)))
  @APIResponse(
      responseCode = "201",
      description = "This version is new",
      headers =
          @Header(
              name = "Location",
              description = "Path of the version",
              schema = @Schema(type = SchemaType.STRING)),
      content = @Content(schema = @Schema(implementation = WorkflowCatalog.Put.class)))
  @ProblemSet(ProblemKind.INVALID_WORKFLOW)
  @RequestBody(
      required = true,
      description = "The definition, at most 1 MiB",
      content = {
        @Content(mediaType = "application/yaml", schema = @Schema(type = SchemaType.STRING)),
        @Content(mediaType = DOT, schema = @Schema(type = SchemaType.STRING)),
        @Content(mediaType = MediaType.APPLICATION_JSON, schema = @Schema(type = SchemaType.OBJECT))
      })
  @Operation(
      operationId = "putWorkflow",
      summary = "Store a definition. 201 for a new version, 200 for an existing one.")
  public Uni<Response> put(
      byte[] body,
      @Parameter(hidden = true) @HeaderParam(HttpHeaders.CONTENT_TYPE) String contentType,
      @HeaderParam(IdempotencyKey.HEADER) @Nullable String key) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    byte[] text = JsonBodyReader.asUtf8(body, contentType);
    return keys.around(
            IdempotencyKey.of(callers.caller(), "put_workflow", key, body),
            () ->
                catalog
                    .put(text, format(contentType), typeOf(contentType))
                    .map(
                        put ->
                            IdempotentResponse.fresh(
                                put.created() ? 201 : 200,
                                "/workflows/" + put.name() + "@" + put.hash(),
                                put)))
        .map(IdempotentResponse::response);
  }

  @POST
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/validate")
  @Consumes({
    "application/yaml",
    "text/yaml",
    "application/x-yaml",
    "text/x-yaml",
    DOT,
    MediaType.APPLICATION_JSON
  })
  @APIResponse(
      responseCode = "200",
      description = "The definition is valid",
      content = @Content(schema = @Schema(implementation = Checked.class)))
  @ProblemSet(ProblemKind.INVALID_WORKFLOW)
  @RequestBody(
      required = true,
      description = "The definition, at most 1 MiB",
      content = {
        @Content(mediaType = "application/yaml", schema = @Schema(type = SchemaType.STRING)),
        @Content(mediaType = DOT, schema = @Schema(type = SchemaType.STRING)),
        @Content(mediaType = MediaType.APPLICATION_JSON, schema = @Schema(type = SchemaType.OBJECT))
      })
  @Operation(
      operationId = "validateWorkflow",
      summary = "Validate a definition without storing it.")
  public Uni<Checked> validate(
      byte[] body,
      @Parameter(hidden = true) @HeaderParam(HttpHeaders.CONTENT_TYPE) String contentType) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    return catalog
        .check(JsonBodyReader.asUtf8(body, contentType), format(contentType))
        .map(
            valid ->
                new Checked(
                    valid.workflow().name(),
                    valid.hash(),
                    valid.warnings().stream().map(FieldProblem::of).toList()));
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "All workflows",
      content = @Content(schema = @Schema(implementation = Listing.class)))
  @Operation(operationId = "listWorkflows", summary = "All names, each with its current version.")
  public Uni<Listing> list() {
    return catalog.list(MOST).map(Listing::new);
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{reference}")
  @APIResponse(
      responseCode = "200",
      description = "The version",
      content = @Content(schema = @Schema(implementation = Shown.class)))
  @ProblemSet(ProblemKind.NOT_FOUND)
  @Operation(operationId = "getWorkflow", summary = "A version by name or name@hash.")
  public Uni<Shown> get(String reference) {
    return definitions
        .resolve(reference)
        .chain(
            found ->
                catalog
                    .versions(found.name(), MOST)
                    .map(
                        versions ->
                            new Shown(
                                found.name(),
                                found.hash(),
                                Json.tree(found.canonical().toByteArray()),
                                versions)));
  }

  @GET
  @RolesAllowed(ProjectRoles.VIEWER_NAME)
  @Path("/{reference}/source")
  @Produces(MediaType.WILDCARD)
  @APIResponse(
      responseCode = "200",
      description = "The text as it was put, with the media type of the upload",
      content = @Content(mediaType = "*/*", schema = @Schema(type = SchemaType.STRING)))
  @ProblemSet(ProblemKind.NOT_FOUND)
  @Operation(
      operationId = "getWorkflowSource",
      summary =
          "A version's text as it was last put, with its comments and its media type, by name or"
              + " name@hash.")
  public Uni<Response> source(String reference) {
    return definitions
        .resolve(reference)
        .chain(
            found ->
                catalog
                    .source(found.hash())
                    .map(
                        source ->
                            source
                                .map(text -> Response.ok(text.text(), text.mediaType()).build())
                                .orElseThrow(
                                    () ->
                                        new ProblemException(
                                            ProblemKind.NOT_FOUND,
                                            "the text of %s@%s is not stored, since it was not put here; its canonical form is at /workflows/%s"
                                                .formatted(
                                                    found.name(), found.hash(), reference)))));
  }

  /** The stored text is UTF-8, regardless of the declared charset. */
  private static String typeOf(String contentType) {
    MediaType given = MediaType.valueOf(contentType);
    String charset = given.getParameters().get(MediaType.CHARSET_PARAMETER);
    return charset == null || charset.equalsIgnoreCase("utf-8")
        ? contentType
        : given.getType() + "/" + given.getSubtype() + ";charset=UTF-8";
  }

  private static DefinitionFormat format(String contentType) {
    MediaType given = MediaType.valueOf(contentType);
    for (DefinitionFormat format : List.of(DefinitionFormat.JSON, DefinitionFormat.DOT)) {
      if (given.isCompatible(MediaType.valueOf(format.mediaType()))) {
        return format;
      }
    }
    return DefinitionFormat.YAML;
  }
}
