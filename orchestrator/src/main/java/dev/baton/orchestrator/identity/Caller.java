/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.protocol.identity.AccessRole;
import java.security.Principal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request, and its rights. Immutable.
 *
 * @param name for people, of at most 100 characters: that of the API key, or {@code step of run …}
 * @param roles the names that annotations of endpoints use
 * @param run the run whose step this is; null for others
 */
public record Caller(String name, Set<String> roles, @Nullable String run) implements Principal {
  /** The role of a step's program, which may only query its own run. */
  public static final String STEP_ROLE = "step";

  public Caller {
    roles = Set.copyOf(roles);
  }

  static Caller of(String name, AccessRole role) {
    return new Caller(name, role.included(), null);
  }

  static Caller step(String run) {
    return new Caller("step of run " + run, Set.of(STEP_ROLE), run);
  }

  @Override
  public String getName() {
    return name;
  }

  public boolean is(AccessRole role) {
    return roles.contains(role.label());
  }

  /** Whether this caller may query the epoch of a run, by its full id. */
  public boolean mayReadEpoch(String id) {
    return run == null || run.equals(id);
  }
}
