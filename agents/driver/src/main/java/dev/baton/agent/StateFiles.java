/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;

/**
 * The allow-list of an agent's state, as globs over paths relative to the home, with {@code **} for
 * any folders.
 *
 * @param include files that are captured
 * @param exclude files of these that are not
 */
public record StateFiles(List<String> include, List<String> exclude) {
  public StateFiles {
    include = List.copyOf(include);
    exclude = List.copyOf(exclude);
  }

  /** Whether a file is captured. */
  public boolean contains(Path relative) {
    return matches(include, relative) && !matches(exclude, relative);
  }

  private static boolean matches(List<String> globs, Path path) {
    for (String glob : globs) {
      PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
      if (matcher.matches(path)) {
        return true;
      }
    }
    return false;
  }
}
