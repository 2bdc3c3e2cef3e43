/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.identity;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The roles of a caller: one for each of some projects, or one for all. Roles only add: in a
 * project the higher one of its entry and of {@link #EVERY} counts.
 *
 * @param byProject at least one entry
 */
public record ProjectRoles(SortedMap<String, AccessRole> byProject) {
  /** The name of the entry for every project. */
  public static final String EVERY = "*";

  /** The right of {@link AccessRole#VIEWER} in some project, for annotations. */
  public static final String VIEWER_NAME = "viewer of a project";

  /** The right of {@link AccessRole#OPERATOR} in some project, for annotations. */
  public static final String OPERATOR_NAME = "operator of a project";

  /** The right of {@link AccessRole#ADMIN} in some project, for annotations. */
  public static final String ADMIN_NAME = "admin of a project";

  /** The names that projects may have. */
  public static final Pattern PROJECT = Pattern.compile("[a-z0-9][a-z0-9_-]{0,62}");

  /** The most entries of a caller. */
  public static final int MAX_PROJECTS = 100;

  public ProjectRoles {
    if (byProject.isEmpty()) {
      throw new IllegalArgumentException("a key needs a role for some project, or for '*'");
    }
    byProject = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(byProject));
  }

  /** One role for every project. */
  public static ProjectRoles everywhere(AccessRole role) {
    return new ProjectRoles(new TreeMap<>(Map.of(EVERY, role)));
  }

  /**
   * Parses roles by project.
   *
   * @throws IllegalArgumentException whose message names the wrong entry and what is allowed
   */
  public static ProjectRoles parse(Map<String, String> labels) {
    if (labels.size() > MAX_PROJECTS) {
      throw new IllegalArgumentException(
          "%d projects are not allowed; allowed: at most %d"
              .formatted(labels.size(), MAX_PROJECTS));
    }
    SortedMap<String, AccessRole> roles = new TreeMap<>();
    labels.forEach((project, label) -> roles.put(project(project), role(project, label)));
    AccessRole every = roles.get(EVERY);
    roles.forEach(
        (project, role) -> {
          if (every != null && !project.equals(EVERY) && role.compareTo(every) <= 0) {
            throw new IllegalArgumentException(
                "role '%s' for project '%s' is not allowed next to '%s' for '*'; allowed: a higher one, since roles only add"
                    .formatted(role.label(), project, every.label()));
          }
        });
    return new ProjectRoles(roles);
  }

  /**
   * Parses entries of the form {@code PROJECT=ROLE}.
   *
   * @throws IllegalArgumentException whose message names the wrong entry and what is allowed
   */
  public static ProjectRoles parse(List<String> entries) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (String entry : entries) {
      int equals = entry.indexOf('=');
      if (equals < 1
          || labels.put(entry.substring(0, equals), entry.substring(equals + 1)) != null) {
        throw new IllegalArgumentException(
            "'%s' is not allowed; allowed: PROJECT=ROLE, once for each project, for example payments=operator or *=viewer"
                .formatted(entry));
      }
    }
    return parse(labels);
  }

  private static String project(String name) {
    if (!name.equals(EVERY) && !PROJECT.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "project '%s' is not allowed; allowed: '*' or %s"
              .formatted(
                  name.length() > 100 ? name.substring(0, 100) + "…" : name, PROJECT.pattern()));
    }
    return name;
  }

  private static AccessRole role(String project, String label) {
    return AccessRole.of(label == null ? "" : label)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "role '%s' for project '%s' is not allowed; allowed: %s"
                        .formatted(label, project, String.join(", ", AccessRole.labels()))));
  }

  /** Returns the roles of a caller that has both: in each project the higher one. */
  public ProjectRoles with(ProjectRoles other) {
    SortedMap<String, AccessRole> both = new TreeMap<>(byProject);
    other.byProject.forEach(
        (project, role) ->
            both.merge(project, role, (one, two) -> one.compareTo(two) >= 0 ? one : two));
    return new ProjectRoles(both);
  }

  /** Returns the role for every project; empty without one. */
  public Optional<AccessRole> everywhere() {
    return Optional.ofNullable(byProject.get(EVERY));
  }

  /** Returns the role in a project; empty without one. */
  public Optional<AccessRole> roleIn(String project) {
    AccessRole own = project.equals(EVERY) ? null : byProject.get(project);
    AccessRole every = byProject.get(EVERY);
    return own == null || every != null && every.compareTo(own) > 0
        ? Optional.ofNullable(every)
        : Optional.of(own);
  }

  /** Whether the caller has at least this role in every project. */
  public boolean hasEverywhere(AccessRole least) {
    AccessRole every = byProject.get(EVERY);
    return every != null && every.compareTo(least) >= 0;
  }

  /** Returns the highest role in some project. */
  public AccessRole highest() {
    return byProject.values().stream().max(Comparator.naturalOrder()).orElseThrow();
  }

  /** Returns the projects in which the caller has at least this role. */
  public ProjectScope scope(AccessRole least) {
    return hasEverywhere(least)
        ? ProjectScope.ALL
        : new ProjectScope(
            false,
            byProject.entrySet().stream()
                .filter(entry -> entry.getValue().compareTo(least) >= 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet()));
  }

  /** Returns the right that a caller with this role in some project has, for annotations. */
  public static String inSomeProject(AccessRole role) {
    return switch (role) {
      case VIEWER -> VIEWER_NAME;
      case OPERATOR -> OPERATOR_NAME;
      case ADMIN -> ADMIN_NAME;
    };
  }

  /** Returns the entries as {@code PROJECT=ROLE}. */
  public List<String> entries() {
    List<String> entries = new ArrayList<>();
    byProject.forEach((project, role) -> entries.add(project + "=" + role.label()));
    return entries;
  }
}
