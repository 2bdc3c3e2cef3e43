/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Launched processes over REST. */
@Path("/runners")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "runners")
public class RunnerResource {
  private static final int MOST = 1_000;

  /** Those that live first. */
  public record Listing(List<RunnerTable.Entry> runners) {}

  private final RunnerTable table;

  RunnerResource(RunnerTable table) {
    this.table = table;
  }

  @GET
  @Operation(summary = "The runner processes that were launched, those alive first.")
  public Uni<Listing> list() {
    return table.list(MOST).map(Listing::new);
  }
}
