/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.checkpoints;

import dev.baton.orchestrator.identity.CallerContext;
import dev.baton.orchestrator.problem.JsonBodyReader;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.orchestrator.problem.ProblemSet;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/**
 * Stores a checkpoint for an external run: find existing chunks, upload the others as packs,
 * register the packs, commit the manifest. Imports use it.
 */
@Path("/runs/{id}")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "checkpoints")
public class ExternalCheckpointResource {
  private static final int HASH = 32;
  private static final int MOST_CHUNKS = 10_000;
  private static final int MOST_PACKS = 1_000;

  private final ExternalCheckpointService captures;
  private final CheckpointLookupService checkpoints;
  private final CallerContext callers;

  ExternalCheckpointResource(
      ExternalCheckpointService captures,
      CheckpointLookupService checkpoints,
      CallerContext callers) {
    this.callers = callers;
    this.captures = captures;
    this.checkpoints = checkpoints;
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/packs/find")
  @Consumes(MediaType.APPLICATION_OCTET_STREAM)
  @APIResponse(
      responseCode = "200",
      description = "The packs that have some of the chunks, and the pack of each chunk",
      content = @Content(schema = @Schema(implementation = PackUploadProtocol.Found.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(
      operationId = "findChunks",
      summary = "Which of up to 10,000 chunks the store has; the body is their digests.")
  public Uni<PackUploadProtocol.Found> find(String id, byte[] digests) {
    if (digests.length % HASH != 0 || digests.length > MOST_CHUNKS * HASH) {
      throw bad(
          digests.length + " bytes", "up to %,d digests of %d bytes".formatted(MOST_CHUNKS, HASH));
    }
    return captures.find(id, digests, callers.access(AccessRole.OPERATOR));
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/packs/uploads")
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "200",
      description = "A presigned PUT for each pack",
      content = @Content(schema = @Schema(implementation = PackUploadProtocol.Places.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(operationId = "preparePackUploads", summary = "Where to PUT packs.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = PackUploadProtocol.WantedList.class)))
  public Uni<PackUploadProtocol.Places> prepare(String id, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.LIMIT);
    return captures.prepare(
        id,
        some(JsonBodyReader.read(body, PackUploadProtocol.WantedList.class).packs()),
        callers.access(AccessRole.OPERATOR));
  }

  @POST
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/packs")
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(responseCode = "204", description = "The packs are registered")
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(operationId = "registerPacks", summary = "Register uploaded packs. Idempotent.")
  @RequestBody(
      required = true,
      content = @Content(schema = @Schema(implementation = PackUploadProtocol.UploadedList.class)))
  public Uni<Response> register(String id, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.BATCH_LIMIT);
    return captures
        .register(
            id,
            some(JsonBodyReader.read(body, PackUploadProtocol.UploadedList.class).packs()),
            callers.access(AccessRole.OPERATOR))
        .map(done -> Response.noContent().build());
  }

  private static <T> List<T> some(@Nullable List<T> packs) {
    if (packs == null || packs.isEmpty() || packs.size() > MOST_PACKS) {
      throw bad((packs == null ? 0 : packs.size()) + " 'packs'", "1 to " + MOST_PACKS);
    }
    return packs;
  }

  @PUT
  @RolesAllowed(ProjectRoles.OPERATOR_NAME)
  @Path("/checkpoints/{checkpoint}")
  @Consumes(MediaType.APPLICATION_JSON)
  @APIResponse(
      responseCode = "201",
      description = "The checkpoint exists",
      headers =
          @Header(
              name = "Location",
              description = "Path of the checkpoint",
              schema = @Schema(type = SchemaType.STRING)),
      content = @Content(schema = @Schema(implementation = StoredCheckpointView.class)))
  @ProblemSet({ProblemKind.NOT_FOUND, ProblemKind.AMBIGUOUS_ID, ProblemKind.CONFLICT})
  @Operation(
      operationId = "commitCheckpoint",
      summary = "Commit a checkpoint from registered packs. Idempotent.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema =
                  @Schema(
                      type = SchemaType.OBJECT,
                      description = "The manifest, described by `/schemas/manifest.schema.json`")))
  public Uni<Response> commit(String id, String checkpoint, byte[] body) {
    JsonBodyReader.check(body.length, JsonBodyReader.BATCH_LIMIT);
    Manifest manifest;
    try {
      manifest = ManifestCodec.read(body);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(
          ProblemKind.MALFORMED_REQUEST, Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
    if (!manifest.id().equals(checkpoint)) {
      throw bad("a manifest of '" + manifest.id() + "' at " + checkpoint, "that of " + checkpoint);
    }
    return captures
        .commit(id, body, callers.access(AccessRole.OPERATOR))
        .chain(() -> checkpoints.get(checkpoint))
        .map(
            made ->
                Response.created(URI.create("/checkpoints/" + checkpoint)).entity(made).build());
  }

  private static ProblemException bad(String what, String allowed) {
    return new ProblemException(
        ProblemKind.BAD_PARAMETER, what + " is not allowed; allowed: " + allowed);
  }
}
