/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.baton.orchestrator.gateway.RunnerRegistry;
import dev.baton.protocol.identity.AccessRole;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
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

/** Lists launched runners over REST. */
@Path("/runners")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "runners")
public class RunnerResource {
  private static final int MOST = 1_000;

  /**
   * @param attached whether the runner is attached to the replica that answers
   */
  @Schema(name = "RunnerProcess")
  public record Runner(@JsonUnwrapped LaunchedRunnerRepository.Entry entry, boolean attached) {}

  /** Live ones first. */
  @Schema(name = "RunnerProcesses")
  public record Listing(List<Runner> runners) {}

  private final LaunchedRunnerRepository table;
  private final RunnerRegistry attachments;

  RunnerResource(LaunchedRunnerRepository table, RunnerRegistry attachments) {
    this.table = table;
    this.attachments = attachments;
  }

  @GET
  @RolesAllowed(AccessRole.VIEWER_NAME)
  @APIResponse(
      responseCode = "200",
      description = "The launched runners",
      content = @Content(schema = @Schema(implementation = Listing.class)))
  @Operation(
      operationId = "listRunners",
      summary = "The runners that were launched, those alive first.")
  public Uni<Listing> list() {
    return table.list(MOST).map(entries -> new Listing(entries.stream().map(this::seen).toList()));
  }

  private Runner seen(LaunchedRunnerRepository.Entry entry) {
    return new Runner(entry, attachments.runner(entry.id()).isPresent());
  }
}
