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
 * What could not be set as it was, which is not worth failing for: owners, extended attributes and
 * special bits. Thread-safe.
 */
final class AttributeLossCollector {
  /** Lines kept for people. */
  static final int MAX = 1000;

  private final List<String> lines = new ArrayList<>();
  private final Set<String> paths = new HashSet<>();
  private long count;

  /** A path, raw, and why. */
  synchronized void add(String path, String why) {
    count++;
    if (lines.size() < MAX) {
      lines.add(RawName.display(path) + ": " + why);
      paths.add(path);
    }
  }

  /** As {@link #add}, unless something has been said of that path already. */
  synchronized void addIfUnknown(String path, String why) {
    if (!paths.contains(path) && count == lines.size()) {
      add(path, why);
    }
  }

  /** How many there were; only the first are in {@link #lines}. */
  synchronized long count() {
    return count;
  }

  synchronized List<String> lines() {
    return List.copyOf(lines);
  }
}
