/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Deletes a tree, its read-only directories too; follows no link. Goes on after errors and reports
 * the first of them.
 */
public final class TreeDelete extends SimpleFileVisitor<Path> {
  private static final int MAX_PROBLEMS = 20;
  private final List<String> problems = new ArrayList<>();
  private final Set<Path> opened = new HashSet<>();

  private TreeDelete() {}

  /**
   * Whatever state it is in. A root that is not there is fine, and so is what somebody else removes
   * meanwhile.
   *
   * @throws IOException that names what is left and why, at most 20 files
   */
  public static void deleteFully(Path root) throws IOException {
    List<String> problems = delete(root);
    if (!problems.isEmpty()) {
      throw new IOException(root + " cannot be deleted: " + String.join("; ", problems));
    }
  }

  /** As {@link #deleteFully}; returns what could not be deleted and why, at most 20 lines. */
  static List<String> delete(Path root) {
    TreeDelete delete = new TreeDelete();
    if (Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      delete.walk(root);
    }
    return delete.problems;
  }

  private void walk(Path root) {
    try {
      Files.walkFileTree(root, this);
    } catch (IOException e) {
      problem(e);
    }
  }

  @Override
  public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
    unlock(dir);
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
    remove(file);
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult visitFileFailed(Path file, IOException e) {
    if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) && opened.add(file) && unlock(file)) {
      walk(file);
    } else {
      problem(e);
    }
    return FileVisitResult.CONTINUE;
  }

  @Override
  public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) {
    if (e != null) {
      problem(e);
    }
    remove(dir);
    return FileVisitResult.CONTINUE;
  }

  private boolean unlock(Path dir) {
    try {
      if ((Stat.of(dir).permissions() & 0700) != 0700) {
        Attributes.setMode(dir, 0700);
      }
      return true;
    } catch (IOException e) {
      problem(e);
      return false;
    }
  }

  private void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      problem(e);
    }
  }

  /** What is gone already is none, wherever that shows. */
  private void problem(IOException e) {
    if (!(e instanceof NoSuchFileException) && problems.size() < MAX_PROBLEMS) {
      problems.add(e.toString());
    }
  }
}
