/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.files;

import dev.baton.snapshot.posix.OpenDirectory;
import java.io.IOException;

/**
 * Opens a directory below an open directory, name by name: no link is followed, and the path has
 * any length.
 */
public final class NoFollowPathWalker implements AutoCloseable {
  private final OpenDirectory root;
  private OpenDirectory at;

  private NoFollowPathWalker(OpenDirectory root) {
    this.root = root;
    at = root;
  }

  /**
   * Opens the directory with this path.
   *
   * @param path raw, from the root; empty for the root itself, which stays open
   */
  public static NoFollowPathWalker to(OpenDirectory root, String path) throws IOException {
    NoFollowPathWalker descent = new NoFollowPathWalker(root);
    boolean arrived = false;
    try {
      for (int from = 0; from < path.length(); ) {
        int slash = path.indexOf('/', from);
        int end = slash < 0 ? path.length() : slash;
        descent.enter(path.substring(from, end));
        from = end + 1;
      }
      arrived = true;
      return descent;
    } finally {
      if (!arrived) {
        descent.close();
      }
    }
  }

  private void enter(String name) throws IOException {
    OpenDirectory next = at.openChild(name);
    try {
      close();
    } finally {
      at = next;
    }
  }

  public OpenDirectory directory() {
    return at;
  }

  @Override
  public void close() throws IOException {
    if (at != root) {
      at.close();
    }
  }
}
