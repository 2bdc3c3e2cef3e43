/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies a tree exactly (as exactly as {@link TreeArchive#restore}), without an archive in between:
 * a workspace for a parallel branch. One use, one thread.
 */
public final class TreeCopy {
  private final Path to;
  private final List<Skipped> skipped;
  private final List<TreeWalk.Found> directories = new ArrayList<>();
  private final Map<List<Long>, Path> copies = new HashMap<>();

  private TreeCopy(Path to, List<Skipped> skipped) {
    this.to = to;
    this.skipped = skipped;
  }

  /**
   * Copies into a fresh directory beside {@code to} and renames that, so {@code to} is complete
   * once it is there.
   *
   * @return what could not be copied: special files, unreadable ones, ones that vanished meanwhile
   * @throws FileAlreadyExistsException if {@code to} exists
   * @throws IOException if {@code from} is no directory, or writing fails
   */
  public static List<Skipped> copy(Path from, Path to, Excludes excludes) throws IOException {
    if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(to.toString());
    }
    List<Skipped> skipped = new ArrayList<>();
    List<TreeWalk.Found> found = TreeWalk.walk(from, excludes, skipped);
    try (FreshDirectory fresh = FreshDirectory.beside(to)) {
      TreeCopy copy = new TreeCopy(fresh.path(), skipped);
      for (TreeWalk.Found it : found) {
        copy.entry(it);
      }
      copy.settle();
      fresh.place();
    }
    return List.copyOf(skipped);
  }

  private void entry(TreeWalk.Found found) throws IOException {
    Path file = RawNames.resolve(to, found.path());
    switch (found.stat().kind()) {
      case DIRECTORY -> {
        if (!found.path().isRoot()) {
          Files.createDirectory(file);
        }
        // Entries follow, whatever the umask says.
        Attributes.setMode(file, 0700);
        directories.add(found);
      }
      case SYMLINK -> symlink(found.file(), file, found.stat().mtime());
      case FILE -> fileOrLink(found, file);
      case OTHER -> throw new IllegalStateException("a walk finds no special files");
    }
  }

  private void fileOrLink(TreeWalk.Found found, Path file) throws IOException {
    List<Long> identity = List.of(found.stat().device(), found.stat().inode());
    Path first = found.stat().links() > 1 ? copies.get(identity) : null;
    if (first != null) {
      Files.createLink(file, first);
      return;
    }
    if (!Files.isReadable(found.file())) {
      skipped.add(
          new Skipped(found.path().display(), Skipped.Reason.UNREADABLE, "gone or no permission"));
      return;
    }
    file(found.file(), file, found.stat().permissions(), found.stat().mtime());
    if (found.stat().links() > 1) {
      copies.put(identity, file);
    }
  }

  private void settle() throws IOException {
    for (TreeWalk.Found directory : directories.reversed()) {
      Path dir = RawNames.resolve(to, directory.path());
      Attributes.setMtime(dir, directory.stat().mtime());
      Attributes.setMode(dir, directory.stat().permissions());
    }
  }

  /** Content, mode and mtime; {@code to} must not exist. */
  static void file(Path from, Path to, int mode, Instant mtime) throws IOException {
    Files.copy(from, to, LinkOption.NOFOLLOW_LINKS);
    Attributes.setMode(to, 0600);
    Attributes.setMtime(to, mtime);
    Attributes.setMode(to, mode);
  }

  static void symlink(Path from, Path to, Instant mtime) throws IOException {
    Files.createSymbolicLink(to, RawNames.toPath(TreeScan.linkTarget(from)));
    Attributes.setMtime(to, mtime);
  }
}
