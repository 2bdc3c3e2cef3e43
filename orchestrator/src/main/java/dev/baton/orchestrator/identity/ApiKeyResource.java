/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.protocol.identity.AccessRole;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jspecify.annotations.Nullable;

/** Serves API keys over REST. */
@Path("/api-keys")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "identity")
public class ApiKeyResource {
  /**
   * The body of a request for a new key.
   *
   * @param role for every project: viewer, operator or admin
   * @param projects roles by project; {@code *} is every project
   */
  @Schema(name = "ApiKeyRequest")
  public record ApiKeyRequest(
      @Nullable String name,
      @Nullable String role,
      @Nullable Map<String, String> projects,
      @Nullable String expiresIn) {}

  /** All keys. */
  @Schema(name = "ApiKeys")
  public record ApiKeyList(List<ApiKeyView> keys) {
    public ApiKeyList {
      keys = List.copyOf(keys);
    }
  }

  private final ApiKeyService keys;
  private final CallerContext callers;

  ApiKeyResource(ApiKeyService keys, CallerContext callers) {
    this.callers = callers;
    this.keys = keys;
  }

  @GET
  @RolesAllowed(AccessRole.ADMIN_NAME)
  @APIResponse(
      responseCode = "200",
      description = "The keys, the newest first, without their text",
      content = @Content(schema = @Schema(implementation = ApiKeyList.class)))
  @Operation(operationId = "listApiKeys", summary = "List API keys, also revoked and expired ones.")
  public Uni<ApiKeyList> list() {
    return keys.list().map(ApiKeyList::new);
  }

  @POST
  @RolesAllowed(AccessRole.ADMIN_NAME)
  @Consumes(MediaType.APPLICATION_JSON)
  @ResponseStatus(201)
  @APIResponse(
      responseCode = "201",
      description = "The key, with its text, which is not shown again",
      content = @Content(schema = @Schema(implementation = ApiKeyView.class)))
  @ProblemSet({ProblemKind.CONFLICT, ProblemKind.BAD_PARAMETER})
  @Operation(
      operationId = "createApiKey",
      summary =
          "Create an API key with a role (viewer, operator, admin) for all projects or for some.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = ApiKeyRequest.class)))
  public Uni<ApiKeyView> create(byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    ApiKeyRequest request = JsonBodyReader.read(body, ApiKeyRequest.class);
    AuditedCall call = callers.call();
    return keys.create(
            request.name(),
            request.role(),
            request.projects(),
            request.expiresIn(),
            callers.caller())
        .invoke(key -> call.target(key.id()));
  }

  @DELETE
  @RolesAllowed(AccessRole.ADMIN_NAME)
  @Path("/{id}")
  @APIResponse(
      responseCode = "200",
      description = "The revoked key",
      content = @Content(schema = @Schema(implementation = ApiKeyView.class)))
  @ProblemSet(ProblemKind.NOT_FOUND)
  @Operation(
      operationId = "revokeApiKey",
      summary = "Revoke an API key: it is refused within five seconds.")
  public Uni<ApiKeyView> revoke(String id) {
    return keys.revoke(id);
  }
}
