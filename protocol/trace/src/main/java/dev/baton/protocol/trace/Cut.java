/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.digest.Digest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The workspace's files at a point of the trace. The object with this digest was durable before the
 * event with the cut was sent.
 *
 * @param digest of the tree
 * @param format of the stored tree: {@code baton-tree-2}
 * @param treeBytes sum of the file sizes
 * @param storedBytes bytes that were not stored before; 0 when earlier cuts had stored all of them
 * @param checkpoint the id under which its manifest is stored; null where it has none
 * @param leftOut paths, relative to the workspace, that are excluded from the cut or were already
 *     missing; the first {@link #MAX_LEFT_OUT} of them
 */
public record Cut(
    String digest,
    String format,
    long treeBytes,
    long storedBytes,
    long fileCount,
    @Nullable String checkpoint,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> leftOut) {
  /** Maximum number of listed paths. */
  public static final int MAX_LEFT_OUT = 100;

  public Cut {
    Digest.check(digest);
    leftOut = leftOut == null ? List.of() : List.copyOf(leftOut);
  }

  /** Creates a cut without excluded paths. */
  public Cut(
      String digest,
      String format,
      long treeBytes,
      long storedBytes,
      long fileCount,
      @Nullable String checkpoint) {
    this(digest, format, treeBytes, storedBytes, fileCount, checkpoint, List.of());
  }

  /** Returns a cut of the same files with another manifest, or without one. */
  public Cut withCheckpoint(@Nullable String id) {
    return new Cut(digest, format, treeBytes, storedBytes, fileCount, id, leftOut);
  }
}
