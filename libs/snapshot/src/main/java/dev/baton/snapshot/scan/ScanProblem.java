/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.SkippedEntry;

/**
 * An entry of a directory that cannot be captured.
 *
 * @param name raw; empty for the directory itself
 */
record ScanProblem(String name, SkippedEntry.Reason reason, String detail) {
  /**
   * Returns the path, raw.
   *
   * @param prefix the directory's, empty or ending in a slash
   */
  String in(String prefix) {
    String path = prefix + name;
    if (!name.isEmpty()) {
      return path;
    }
    return prefix.isEmpty() ? "." : path.substring(0, path.length() - 1);
  }
}
