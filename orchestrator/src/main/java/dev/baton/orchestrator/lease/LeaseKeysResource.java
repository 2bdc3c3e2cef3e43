/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.lease;

import dev.baton.lease.LeaseKey;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.PermitAll;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Publishes the public keys with which lease tokens are verified. */
@Path("/.well-known/jwks.json")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "leases")
public class LeaseKeysResource {
  /** A JSON Web Key Set (RFC 7517). */
  @Schema(name = "LeaseKeySet")
  public record KeySet(List<Map<String, String>> keys) {}

  private final ReplicaLeaseKeySource keys;

  LeaseKeysResource(ReplicaLeaseKeySource keys) {
    this.keys = keys;
  }

  @GET
  @PermitAll
  @APIResponse(
      responseCode = "200",
      description = "The key set",
      content = @Content(schema = @Schema(implementation = KeySet.class)))
  @Operation(
      operationId = "getLeaseKeys",
      summary = "The public keys that lease tokens are signed with, as a JSON Web Key Set.")
  public Uni<KeySet> keys() {
    return keys.published().map(all -> new KeySet(all.stream().map(LeaseKey::jwk).toList()));
  }
}
