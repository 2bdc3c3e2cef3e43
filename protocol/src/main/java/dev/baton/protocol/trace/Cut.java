/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import org.jspecify.annotations.Nullable;

/**
 * The workspace at a point of the trace. The object behind the digest was durable before the event
 * that carries it was sent.
 *
 * @param digest of the tree
 * @param format how it is stored: {@code baton-tree-2}
 * @param treeBytes sum of the file sizes
 * @param storedBytes what was new of it; 0 when earlier cuts had stored all of it already
 * @param checkpoint the id under which its manifest is stored; null where it has none
 */
public record Cut(
    String digest,
    String format,
    long treeBytes,
    long storedBytes,
    long fileCount,
    @Nullable String checkpoint) {
  public Cut {
    Digest.check(digest);
  }

  /** The same files under another manifest, or under none. */
  public Cut withCheckpoint(@Nullable String id) {
    return new Cut(digest, format, treeBytes, storedBytes, fileCount, id);
  }
}
