/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.restore;

import dev.baton.snapshot.posix.RawName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Collects attributes that could not be restored and do not fail a restore: owners, extended
 * attributes and special bits. Thread-safe.
 */
final class AttributeLossCollector {
  /** Maximum number of lines with details. */
  static final int MAX = 1000;

  private final List<String> lines = new ArrayList<>();
  private final Set<String> paths = new HashSet<>();
  private long count;

  /**
   * @param path raw
   */
  synchronized void add(String path, String why) {
    count++;
    if (lines.size() < MAX) {
      lines.add(RawName.display(path) + ": " + why);
      paths.add(path);
    }
  }

  /** Like {@link #add}, unless the path already has a line. */
  synchronized void addIfUnknown(String path, String why) {
    if (!paths.contains(path) && count == lines.size()) {
      add(path, why);
    }
  }

  /** Returns the total number; only the first are in {@link #lines}. */
  synchronized long count() {
    return count;
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }
}
