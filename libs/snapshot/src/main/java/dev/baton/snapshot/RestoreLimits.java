/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

/**
 * Limits what a restore may write.
 *
 * @param maxBytes of file content, at least 0
 * @param maxEntries number of files, directories and links, at least 1
 */
public record RestoreLimits(long maxBytes, long maxEntries) {
  private static final RestoreLimits DEFAULTS = new RestoreLimits(64L << 30, 2_000_000);

  public RestoreLimits {
    if (maxBytes < 0 || maxEntries < 1) {
      throw new IllegalArgumentException(
          "limits must be at least 0 bytes and 1 entry, not %d bytes and %d entries"
              .formatted(maxBytes, maxEntries));
    }
  }

  /** 64 GiB and two million entries. */
  public static RestoreLimits defaults() {
    return DEFAULTS;
  }
}
