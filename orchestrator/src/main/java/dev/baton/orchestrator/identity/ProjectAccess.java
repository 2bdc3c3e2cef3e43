/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import dev.baton.protocol.identity.AccessRole;
import dev.baton.protocol.identity.ProjectRoles;
import dev.baton.protocol.identity.ProjectScope;
import org.jspecify.annotations.Nullable;

/**
 * A caller and the role that its request needs in the project of its target. A target that the
 * caller cannot see is looked up as if it did not exist, by {@link #visible()} in the query.
 *
 * @param call notes the target for the audit log; null outside of requests
 */
public record ProjectAccess(Caller caller, AccessRole needed, @Nullable AuditedCall call) {
  /** The access of the orchestrator's own components, in all projects. */
  public static final ProjectAccess INTERNAL =
      new ProjectAccess(
          Caller.of(
              "internal",
              "orchestrator",
              ProjectRoles.everywhere(AccessRole.ADMIN),
              CallerValidity.ENDLESS),
          AccessRole.ADMIN,
          null);

  /** Returns the projects whose rows exist for the caller. */
  public ProjectScope visible() {
    return caller.scope(AccessRole.VIEWER);
  }

  /** Returns the projects in which the caller has the needed role. */
  public ProjectScope permitted() {
    return caller.scope(needed);
  }

  /** Returns the names of {@link #visible()} as a parameter of SQL; null for all projects. */
  public String @Nullable [] visibleNames() {
    return names(visible());
  }

  /** Returns the names of a scope as a parameter of SQL; null for all projects. */
  public static String @Nullable [] names(ProjectScope scope) {
    return scope.all() ? null : scope.names().toArray(String[]::new);
  }

  /**
   * Requires the needed role in a project.
   *
   * @throws ProblemException FORBIDDEN, which names the project
   */
  public void require(String project) {
    if (call != null) {
      call.project(project);
    }
    if (caller.roleIn(project).filter(role -> role.compareTo(needed) >= 0).isEmpty()) {
      throw new ProblemException(
          ProblemKind.FORBIDDEN,
          "'%s' does not have the role %s in project '%s'"
              .formatted(caller.name(), needed.label(), project));
    }
  }

  /** Notes for the audit log a run that the call names, changes or has created. */
  public void noteRun(String run) {
    if (call != null) {
      call.run(run);
    }
  }

  /**
   * Requires the needed role in every project.
   *
   * @param what the operation, for the message
   * @throws ProblemException FORBIDDEN
   */
  public void requireEverywhere(String what) {
    if (!permitted().all()) {
      throw new ProblemException(
          ProblemKind.FORBIDDEN,
          "%s: '%s' does not have the role %s for all projects ('*')"
              .formatted(what, caller.name(), needed.label()));
    }
  }
}
