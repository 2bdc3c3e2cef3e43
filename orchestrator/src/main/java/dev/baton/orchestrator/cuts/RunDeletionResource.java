/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.cuts;

import dev.baton.orchestrator.runs.RunQueries;
import dev.baton.protocol.grpc.DeleteRunRequest;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestQuery;

/** The end of all that is kept of a run. */
@Path("/runs/{id}")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "runs")
public class RunDeletionResource {
  private final RunQueries runs;
  private final RunRows rows;
  private final CheckpointClient store;

  RunDeletionResource(RunQueries runs, RunRows rows, CheckpointClient store) {
    this.runs = runs;
    this.rows = rows;
    this.store = store;
  }

  @DELETE
  @Operation(
      summary =
          "Erase an ended run with its trace and checkpoints, and prove it. 409 while it is under"
              + " way, or another run needs a checkpoint of it, or (without force) one is pinned.")
  public Uni<Deleted> delete(
      String id,
      @RestQuery @DefaultValue("false") boolean now,
      @RestQuery @DefaultValue("false") boolean force) {
    return runs.resolve(id)
        .call(rows::checkEnded)
        // The store first: as long as the run is in the list, what failed can be repeated.
        .chain(
            run ->
                store
                    .deleteRun(
                        DeleteRunRequest.newBuilder()
                            .setRun(run)
                            .setNow(now)
                            .setForce(force)
                            .build())
                    .chain(proof -> rows.erase(run).map(gone -> Deleted.of(run, proof, gone))));
  }
}
