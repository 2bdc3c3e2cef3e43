/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.util.List;

/** Refers to the chunks with a file's bytes. */
public sealed interface FileContent {
  /** The content of a file of size 0. */
  FileContent EMPTY = new Inline(List.of());

  /** At most {@link #MAX} extents, stored in the entry. */
  record Inline(List<Extent> extents) implements FileContent {
    public static final int MAX = 16;

    public Inline {
      extents = List.copyOf(extents);
      if (extents.size() > MAX) {
        throw new IllegalArgumentException(
            "%d extents; at most %d are kept in an entry".formatted(extents.size(), MAX));
      }
    }
  }

  /** More extents, stored in a separate chunk ({@link ExtentListCodec}). */
  record Listed(Hash list) implements FileContent {}
}
