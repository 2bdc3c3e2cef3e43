/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.problem.ControlTextValidator;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.net.BearerCredential;
import dev.baton.protocol.workflow.DurationParser;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Creates, lists and revokes API keys. Thread-safe. */
@ApplicationScoped
class ApiKeyService {
  private static final int MAX_NAME = 100;
  private static final Duration LONGEST = Duration.ofDays(3_660);

  private final ApiKeyRepository keys;
  private final CallerAuthenticator authenticator;
  private final CallerStreamRegistry streams;

  ApiKeyService(
      ApiKeyRepository keys, CallerAuthenticator authenticator, CallerStreamRegistry streams) {
    this.streams = streams;
    this.keys = keys;
    this.authenticator = authenticator;
  }

  /**
   * Creates a key.
   *
   * @param role for every project; null: only those of {@code projects}
   * @param projects roles by project, with {@code *} for every project; null for none
   * @param expiresIn a duration of at most ten years; null: it never expires
   * @return the key, with its text
   */
  Uni<ApiKeyView> create(
      @Nullable String name,
      @Nullable String role,
      @Nullable Map<String, String> projects,
      @Nullable String expiresIn,
      Caller by) {
    ControlTextValidator.check("name", name);
    if (name == null || name.isBlank() || name.length() > MAX_NAME) {
      throw bad("name '%s' is not allowed; allowed: 1 to %d characters".formatted(name, MAX_NAME));
    }
    ProjectRoles roles = roles(role, projects == null ? Map.of() : projects);
    Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    String key = ApiKeyFormat.create();
    ApiKeyRow row =
        new ApiKeyRow(
            ApiKeyFormat.id(key).orElseThrow(),
            BearerCredential.digest(key),
            name,
            roles,
            now,
            by.name(),
            expiresIn == null ? null : now.plus(lifetime(expiresIn)),
            null,
            null);
    return keys.insert(row)
        .map(
            inserted -> {
              if (!inserted) {
                throw new ProblemException(
                    ProblemKind.CONFLICT,
                    "there are %d valid API keys, the most allowed; revoke some"
                        .formatted(ApiKeyRepository.MAX_KEYS));
              }
              return ApiKeyView.of(row, key);
            });
  }

  private static ProjectRoles roles(@Nullable String role, Map<String, String> projects) {
    Map<String, String> labels = new TreeMap<>(projects);
    if (role == null && projects.isEmpty()
        || role != null && labels.put(ProjectRoles.EVERY, role) != null) {
      throw bad(
          "%s is not allowed; allowed: 'role' (%s), 'projects', or both without '*'"
              .formatted(
                  role == null ? "a key without a role" : "'role' next to '*' in 'projects'",
                  String.join(", ", AccessRole.labels())));
    }
    try {
      return ProjectRoles.parse(labels);
    } catch (IllegalArgumentException e) {
      throw bad(Objects.requireNonNullElse(e.getMessage(), e.toString()));
    }
  }

  private static Duration lifetime(String text) {
    return DurationParser.parse(text)
        .filter(duration -> duration.compareTo(LONGEST) <= 0 && duration.isPositive())
        .orElseThrow(
            () ->
                bad(
                    "expires_in '%s' is not allowed; allowed: a duration such as 90d, at most %dd"
                        .formatted(text, LONGEST.toDays())));
  }

  Uni<List<ApiKeyView>> list() {
    return keys.list().map(rows -> rows.stream().map(row -> ApiKeyView.of(row, null)).toList());
  }

  Uni<ApiKeyView> revoke(String id) {
    return keys.revoke(id)
        .map(
            row -> {
              authenticator.forget(id);
              streams.wake();
              return ApiKeyView.of(
                  row.orElseThrow(
                      () ->
                          new ProblemException(
                              ProblemKind.NOT_FOUND, "no API key has the id '" + id + "'")),
                  null);
            });
  }

  private static ProblemException bad(String detail) {
    return new ProblemException(ProblemKind.BAD_PARAMETER, detail);
  }
}
