/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.identity;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a caller may do. Each role includes those before it. */
public enum AccessRole {
  /** Reads runs, events, logs, checkpoints and workflows. */
  VIEWER,
  /** Also starts, changes and answers runs, stores workflows and opens screens of agents. */
  OPERATOR,
  /** Also deletes, reads dead letters and manages API keys. */
  ADMIN;

  /** {@link #VIEWER} as a constant for annotations. */
  public static final String VIEWER_NAME = "viewer";

  /** {@link #OPERATOR} as a constant for annotations. */
  public static final String OPERATOR_NAME = "operator";

  /** {@link #ADMIN} as a constant for annotations. */
  public static final String ADMIN_NAME = "admin";

  /** The name in keys, responses and annotations, in lower case. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the role with this {@link #label}; empty for any other text. */
  public static Optional<AccessRole> of(String label) {
    return Arrays.stream(values()).filter(role -> role.label().equals(label)).findFirst();
  }

  /** Returns the labels of this role and of those that it includes. */
  public Set<String> included() {
    return Arrays.stream(values())
        .filter(role -> role.compareTo(this) <= 0)
        .map(AccessRole::label)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns all labels, for error messages. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(AccessRole::label).toList();
  }
}
