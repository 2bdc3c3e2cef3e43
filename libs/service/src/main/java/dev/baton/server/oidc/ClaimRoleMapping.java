/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import dev.baton.protocol.identity.ProjectRoles;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The roles in projects that values of a claim have. */
public record ClaimRoleMapping(Map<String, ProjectRoles> byValue) {
  private static final int MAX_VALUES = 1_000;
  private static final String ALLOWED =
      "one VALUE PROJECT=ROLE… per line, for example: platform payments=operator *=viewer";

  // The roles are the last words, so a value may contain spaces and, as names of LDAP do, '='.
  private static final Pattern LINE = Pattern.compile("(\\S|\\S.*?\\S)((?:\\s+\\S+?=[a-z]+)+)");

  public ClaimRoleMapping {
    byValue = Map.copyOf(byValue);
  }

  /**
   * Parses a mapping: one {@code VALUE PROJECT=ROLE…} per line; empty lines and those that begin
   * with # do not count.
   *
   * @throws IllegalArgumentException whose message names the wrong line and what is allowed
   */
  public static ClaimRoleMapping parse(String text) {
    Map<String, ProjectRoles> roles = new HashMap<>();
    List<String> lines =
        text.lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty() && !line.startsWith("#"))
            .toList();
    if (lines.isEmpty() || lines.size() > MAX_VALUES) {
      throw new IllegalArgumentException(
          "%d lines are not allowed; allowed: %s, 1 to %d"
              .formatted(lines.size(), ALLOWED, MAX_VALUES));
    }
    for (String line : lines) {
      Matcher parts = LINE.matcher(line);
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "'%s' is not allowed; allowed: %s".formatted(line, ALLOWED));
      }
      String value = Objects.requireNonNull(parts.group(1));
      String entries = Objects.requireNonNull(parts.group(2));
      try {
        if (roles.put(value, ProjectRoles.parse(List.of(entries.strip().split("\\s+")))) != null) {
          throw new IllegalArgumentException("the value is on two lines; allowed: once");
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("'%s': %s".formatted(value, e.getMessage()), e);
      }
    }
    return new ClaimRoleMapping(roles);
  }

  /** Returns the roles that these values have together; empty when none has a role. */
  Optional<ProjectRoles> roles(Collection<String> values) {
    return values.stream()
        .map(byValue::get)
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .reduce(ProjectRoles::with);
  }
}
