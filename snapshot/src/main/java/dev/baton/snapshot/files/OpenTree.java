/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.files;

import dev.baton.snapshot.posix.Directory;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A tree in which one goes from directory to directory, by paths of any length, following no link.
 * Keeps the root open and the directory it was in last. Not thread-safe.
 */
public final class OpenTree implements AutoCloseable {
  private final Directory root;
  private final boolean owned;
  private String path = "";
  private @Nullable Descent at;

  private OpenTree(Directory root, boolean owned) {
    this.root = root;
    this.owned = owned;
  }

  /** By its path. */
  public static OpenTree of(Path root) throws IOException {
    return new OpenTree(Directory.open(root), true);
  }

  /** Under a directory that somebody else closes. */
  public static OpenTree under(Directory root) {
    return new OpenTree(root, false);
  }

  /**
   * The directory with this path.
   *
   * @param rawPath from the root; empty for the root itself
   * @return open until the next call
   */
  public Directory in(String rawPath) throws IOException {
    Descent here = at;
    if (here == null || !rawPath.equals(path)) {
      leave();
      here = Descent.to(root, rawPath);
      at = here;
      path = rawPath;
    }
    return here.directory();
  }

  private void leave() throws IOException {
    Descent here = at;
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
