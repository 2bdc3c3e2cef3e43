/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.files;

import dev.baton.snapshot.posix.OpenDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Navigates a tree from directory to directory, by paths of any length, following no link. Keeps
 * the root and the last directory open. Not thread-safe.
 */
public final class TreeNavigator implements AutoCloseable {
  private final OpenDirectory root;
  private final boolean owned;
  private String path = "";
  private @Nullable NoFollowPathWalker at;

  private TreeNavigator(OpenDirectory root, boolean owned) {
    this.root = root;
    this.owned = owned;
  }

  /** Opens the root by its path. */
  public static TreeNavigator of(Path root) throws IOException {
    return new TreeNavigator(OpenDirectory.open(root), true);
  }

  /** Uses an open root, which the caller closes. */
  public static TreeNavigator under(OpenDirectory root) {
    return new TreeNavigator(root, false);
  }

  /**
   * Opens the directory with this path.
   *
   * @param rawPath from the root; empty for the root itself
   * @return open until the next call
   */
  public OpenDirectory in(String rawPath) throws IOException {
    NoFollowPathWalker here = at;
    if (here == null || !rawPath.equals(path)) {
      leave();
      here = NoFollowPathWalker.to(root, rawPath);
      at = here;
      path = rawPath;
    }
    return here.directory();
  }

  private void leave() throws IOException {
    NoFollowPathWalker here = at;
    at = null;
    if (here != null) {
      here.close();
    }
  }

  @Override
  public void close() throws IOException {
    try {
      leave();
    } finally {
      if (owned) {
        root.close();
      }
    }
  }
}
