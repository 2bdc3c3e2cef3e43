/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.identity.ProjectScope;
import java.security.Principal;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request, and its rights.
 *
 * @param id of the credential, for keys of idempotency
 * @param name for people
 * @param rights the names of {@code @RolesAllowed}
 * @param projects null for a caller without a role, such as a program of a step
 * @param run of a program of a step; null for others
 * @param validity when its credential ends
 */
public record Caller(
    String id,
    String name,
    Set<String> rights,
    @Nullable ProjectRoles projects,
    @Nullable String run,
    CallerValidity validity)
    implements Principal {
  /** The role of a step's program, which may only query its own run. */
  public static final String STEP_ROLE = "step";

  public Caller {
    rights = Set.copyOf(rights);
  }

  static Caller of(String id, String name, ProjectRoles projects, CallerValidity validity) {
    return new Caller(id, name, rights(projects), projects, null, validity);
  }

  /** A caller that is known and may do nothing. */
  static Caller withoutRole(String id, String name, CallerValidity validity) {
    return new Caller(id, name, Set.of(), null, null, validity);
  }

  static Caller step(String run) {
    return new Caller(
        "step " + run, "step of run " + run, Set.of(STEP_ROLE), null, run, CallerValidity.ENDLESS);
  }

  /**
   * A role for all projects is its own right; a role in some project is a right with another name.
   */
  private static Set<String> rights(ProjectRoles projects) {
    Set<String> rights = new HashSet<>();
    projects.everywhere().map(AccessRole::included).ifPresent(rights::addAll);
    for (AccessRole role : AccessRole.values()) {
      if (role.compareTo(projects.highest()) <= 0) {
        rights.add(ProjectRoles.inSomeProject(role));
      }
    }
    return rights;
  }

  @Override
  public String getName() {
    return name;
  }

  /**
   * Returns the author of an action for traces and views: the name of this caller, and in brackets
   * the name that its request states, which is not verified.
   *
   * @param stated by the request; null for none
   */
  public String author(@Nullable String stated) {
    return stated == null || stated.isBlank() || stated.equals(name)
        ? name
        : name + " (" + stated + ")";
  }

  /** Whether this caller may do nothing. */
  boolean isWithoutRight() {
    return rights.isEmpty();
  }

  /** Returns the role in a project; empty without one. */
  public Optional<AccessRole> roleIn(String project) {
    return projects == null ? Optional.empty() : projects.roleIn(project);
  }

  /** Returns the projects in which this caller has at least a role. */
  public ProjectScope scope(AccessRole least) {
    return projects == null ? new ProjectScope(false, Set.of()) : projects.scope(least);
  }

  /** Whether this caller may query the epoch of a run, by its full id. */
  public boolean mayReadEpoch(String id) {
    return run == null || run.equals(id);
  }
}
