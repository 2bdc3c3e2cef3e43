/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.git;

import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Opens the directory that contains the index of a git work tree: {@code .git} itself, or the
 * directory that a {@code .git} file or link refers to, as in linked work trees and submodules.
 */
final class GitDirectoryOpener {
  private static final String NAME = ".git";
  private static final String PREFIX = "gitdir:";
  private static final int MAX_POINTER = 8192;

  private GitDirectoryOpener() {}

  /**
   * Opens the git directory of a work tree.
   *
   * @param workTree the directory that contains {@code .git}
   * @param path raw and absolute, of the work tree
   * @param root raw and absolute, of the scanned tree
   * @param seenAs raw and absolute: the path of the root as programs see it; may be the same
   * @throws IOException if the git directory is missing or cannot be opened
   */
  static OpenDirectory open(OpenDirectory workTree, String path, String root, String seenAs)
      throws IOException {
    StatBuffer stat = new StatBuffer();
    workTree.stat(NAME, stat);
    if (stat.kind() == FileKind.DIRECTORY) {
      return workTree.openChild(NAME);
    }
    String pointer =
        stat.kind() == FileKind.SYMLINK ? workTree.readlink(NAME) : pointer(workTree, stat);
    return OpenDirectory.openRaw(resolved(path, pointer, root, seenAs));
  }

  private static String pointer(OpenDirectory workTree, StatBuffer stat) throws IOException {
    String text = SmallFileReader.text(workTree, NAME, MAX_POINTER, stat);
    if (!text.startsWith(PREFIX)) {
      throw new IOException(workTree.path() + "/.git does not name a git directory");
    }
    return text.substring(PREFIX.length()).strip();
  }

  /**
   * Returns the path without {@code .} and {@code ..}, mapped to where the runner sees the tree.
   */
  static String resolved(String from, String pointer, String root, String seenAs) {
    String whole = pointer.startsWith("/") ? pointer : from + "/" + pointer;
    Deque<String> names = new ArrayDeque<>();
    for (String name : whole.split("/", -1)) {
      if (name.equals("..")) {
        names.pollLast();
      } else if (!name.isEmpty() && !name.equals(".")) {
        names.addLast(name);
      }
    }
    String path = "/" + String.join("/", names);
    if (path.equals(seenAs) || path.startsWith(seenAs + "/")) {
      return root + path.substring(seenAs.length());
    }
    return path;
  }
}
