/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.identity;

import java.util.Set;

/**
 * The projects in which a caller has at least some role.
 *
 * @param all every project, also those that do not exist yet
 * @param names the projects; empty with {@code all}
 */
public record ProjectScope(boolean all, Set<String> names) {
  public static final ProjectScope ALL = new ProjectScope(true, Set.of());

  public ProjectScope {
    names = all ? Set.of() : Set.copyOf(names);
  }

  public boolean contains(String project) {
    return all || names.contains(project);
  }
}
