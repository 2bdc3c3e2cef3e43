/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.util.List;
import java.util.Set;

/**
 * Selects what a capture excludes, anywhere in the tree: directories by plain name, files and
 * directories by pattern. Files that a git repository in the tree tracks are always captured.
 *
 * @param directoryNames plain names of directories; files of the same name are kept
 * @param patterns in gitignore syntax, relative to the root of the tree; the {@code .batonignore}
 *     files of the tree are applied after them and can include a path again
 */
public record ExcludePolicy(Set<String> directoryNames, List<String> patterns) {
  private static final ExcludePolicy DEFAULTS =
      new ExcludePolicy(Set.of("node_modules", "__pycache__", "target", ".venv"), List.of());
  private static final ExcludePolicy NONE = new ExcludePolicy(Set.of(), List.of());

  public ExcludePolicy {
    directoryNames = Set.copyOf(directoryNames);
    patterns = List.copyOf(patterns);
  }

  /** {@code node_modules}, {@code __pycache__}, {@code target}, {@code .venv}. */
  public static ExcludePolicy defaults() {
    return DEFAULTS;
  }

  public static ExcludePolicy none() {
    return NONE;
  }

  /** Excludes what these patterns match, and none of the default directory names. */
  public static ExcludePolicy matching(List<String> patterns) {
    return patterns.isEmpty() ? NONE : new ExcludePolicy(Set.of(), patterns);
  }
}
