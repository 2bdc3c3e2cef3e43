/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Resolves the paths that a model names. None leaves the workspace, neither by {@code ..} nor by a
 * symbolic link. It keeps mistakes inside; commands of the shell are not confined by it.
 *
 * @param root real path of the workspace
 */
public record WorkspaceFiles(Path root) {
  private static final int MAX_PATH = 4_096;

  /**
   * @throws IOException when the workspace is not there
   */
  public static WorkspaceFiles of(Path workspace) throws IOException {
    return new WorkspaceFiles(workspace.toRealPath());
  }

  /**
   * Resolves a path, of which the end may not exist.
   *
   * @param path relative to the workspace, or absolute within it
   * @return the real path, without symbolic links
   * @throws ToolFailureException when it leaves the workspace
   */
  Path resolve(String path) throws ToolFailureException, IOException {
    if (path.length() > MAX_PATH) {
      throw new ToolFailureException("The path has more than " + MAX_PATH + " characters.");
    }
    Path wanted;
    try {
      wanted = root.resolve(path).normalize();
    } catch (InvalidPathException e) {
      throw new ToolFailureException("'%s' is not a path: %s".formatted(path, e.getReason()));
    }
    if (!wanted.startsWith(root)) {
      throw outside(path);
    }
    // The deepest part that exists decides where the rest is; a dangling link exists, too.
    Path existing = wanted;
    while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS)) {
      existing = existing.getParent();
      if (existing == null) {
        throw outside(path);
      }
    }
    if (Files.isSymbolicLink(existing) && !Files.exists(existing)) {
      throw new ToolFailureException(
          "'%s' is a symbolic link to a file that does not exist.".formatted(path));
    }
    Path real = existing.toRealPath();
    if (!real.startsWith(root)) {
      throw outside(path);
    }
    return real.resolve(existing.relativize(wanted)).normalize();
  }

  private static ToolFailureException outside(String path) {
    return new ToolFailureException(
        "'%s' is outside of the workspace. Allowed are paths inside of it, relative to it, and without symbolic links that leave it."
            .formatted(path));
  }

  /** {@link #resolve} of an existing regular file. */
  Path file(String path) throws ToolFailureException, IOException {
    Path file = resolve(path);
    if (!Files.exists(file)) {
      throw new ToolFailureException("'%s' does not exist.".formatted(path));
    }
    if (!Files.isRegularFile(file)) {
      throw new ToolFailureException(
          Files.isDirectory(file)
              ? "'%s' is a folder, a file is required.".formatted(path)
              : "'%s' is not a regular file.".formatted(path));
    }
    return file;
  }

  /** The path as models see it. */
  String shown(Path real) {
    String relative = root.relativize(real).toString();
    return relative.isEmpty() ? "." : relative;
  }
}
