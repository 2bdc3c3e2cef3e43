/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.Set;

/**
 * Directories that are left out wherever they are in the tree. Files of the same name are kept.
 *
 * @param directoryNames plain names, no patterns
 */
public record Excludes(Set<String> directoryNames) {
  private static final Excludes DEFAULTS =
      new Excludes(Set.of("node_modules", "__pycache__", "target", ".venv"));
  private static final Excludes NONE = new Excludes(Set.of());

  public Excludes {
    directoryNames = Set.copyOf(directoryNames);
  }

  /** {@code node_modules}, {@code __pycache__}, {@code target}, {@code .venv}. */
  public static Excludes defaults() {
    return DEFAULTS;
  }

  public static Excludes none() {
    return NONE;
  }
}
