/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.protocol.identity.ProjectRoles;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored API key.
 *
 * @param digest SHA-256 of the key
 * @param createdBy the caller that created it
 */
record ApiKeyRow(
    String id,
    byte[] digest,
    String name,
    ProjectRoles roles,
    Instant createdAt,
    String createdBy,
    @Nullable Instant expiresAt,
    @Nullable Instant lastUsedAt,
    @Nullable Instant revokedAt) {
  boolean isValid(Instant now) {
    return revokedAt == null && (expiresAt == null || expiresAt.isAfter(now));
  }
}
