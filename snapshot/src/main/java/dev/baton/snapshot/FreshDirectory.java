/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A private, empty directory beside a target (so on the same file system), that becomes the target
 * by being renamed or is deleted. A process killed in between leaves {@code .baton-new-*} or {@code
 * .baton-old-*} beside the target.
 */
final class FreshDirectory implements AutoCloseable {
  private final Path target;
  private final Path path;
  private boolean placed;

  private FreshDirectory(Path target, Path path) {
    this.target = target;
    this.path = path;
  }

  static FreshDirectory beside(Path target) throws IOException {
    Path absolute = target.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    if (parent == null) {
      throw new IOException(target + " cannot be replaced: it has no parent directory");
    }
    Files.createDirectories(parent);
    return new FreshDirectory(absolute, Files.createTempDirectory(parent, ".baton-new-"));
  }

  Path path() {
    return path;
  }

  /**
   * Puts this directory in the target's place; what was there comes back if that fails.
   *
   * @return why the old tree could not be deleted, at most 20 lines
   */
  List<String> place() throws IOException {
    Path old =
        path.resolveSibling(path.getFileName().toString().replace(".baton-new-", ".baton-old-"));
    boolean replaces = Files.exists(target, LinkOption.NOFOLLOW_LINKS);
    if (replaces) {
      Files.move(target, old, StandardCopyOption.ATOMIC_MOVE);
    }
    try {
      Files.move(path, target, StandardCopyOption.ATOMIC_MOVE);
      placed = true;
    } catch (IOException e) {
      if (replaces) {
        putBack(old, e);
      }
      throw e;
    }
    return replaces ? TreeDelete.delete(old) : List.of();
  }

  private void putBack(Path old, IOException cause) {
    try {
      Files.move(old, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public void close() throws IOException {
    if (!placed) {
      List<String> problems = TreeDelete.delete(path);
      if (!problems.isEmpty()) {
        throw new IOException("cannot remove " + path + ": " + String.join("; ", problems));
      }
    }
  }
}
