/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An API key in responses.
 *
 * @param key the key itself, only in the response that created it
 */
@Schema(name = "ApiKey")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ApiKeyView(
    String id,
    String name,
    @Nullable String role,
    @Nullable Map<String, String> projects,
    Instant createdAt,
    String createdBy,
    @Nullable Instant expiresAt,
    @Nullable Instant lastUsedAt,
    @Nullable Instant revokedAt,
    @Nullable String key) {
  static ApiKeyView of(ApiKeyRow row, @Nullable String key) {
    return new ApiKeyView(
        row.id(),
        row.name(),
        row.roles().everywhere().map(AccessRole::label).orElse(null),
        projects(row.roles()),
        row.createdAt(),
        row.createdBy(),
        row.expiresAt(),
        row.lastUsedAt(),
        row.revokedAt(),
        key);
  }

  /** Returns null for one role for every project. */
  private static @Nullable Map<String, String> projects(ProjectRoles roles) {
    if (roles.equals(ProjectRoles.everywhere(roles.highest()))) {
      return null;
    }
    Map<String, String> projects = new TreeMap<>();
    roles.byProject().forEach((project, role) -> projects.put(project, role.label()));
    return projects;
  }
}
