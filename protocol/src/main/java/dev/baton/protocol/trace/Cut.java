/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

/**
 * The workspace at a point of the trace. The object behind the digest was durable before the event
 * that carries it was sent.
 *
 * @param digest of the tree
 * @param format how the object is stored: {@code tar.zst}
 * @param treeBytes sum of the file sizes
 * @param storedBytes size of the stored object; 0 when an earlier cut had stored it already
 */
public record Cut(String digest, String format, long treeBytes, long storedBytes, long fileCount) {
  public Cut {
    Digest.check(digest);
  }
}
