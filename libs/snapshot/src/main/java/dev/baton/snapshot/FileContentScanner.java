/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import org.jspecify.annotations.Nullable;

/**
 * Finds files that a capture must leave out because of their content. A file is scanned when a
 * capture reads it: once for each change. Thread-safe.
 */
@FunctionalInterface
public interface FileContentScanner {
  /** Scans nothing. */
  FileContentScanner NONE = () -> null;

  /**
   * Begins with a file.
   *
   * @return null if there is nothing to look for
   */
  @Nullable ContentScan begin();

  /** Scans the content of one file. For one thread. */
  @FunctionalInterface
  interface ContentScan {
    /**
     * Adds bytes.
     *
     * @return false if the file must be left out
     */
    boolean accept(byte[] bytes, int offset, int length);
  }
}
