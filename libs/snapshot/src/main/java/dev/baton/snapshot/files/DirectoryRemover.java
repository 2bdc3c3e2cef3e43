/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.files;

import dev.baton.snapshot.posix.DirEntry;
import dev.baton.snapshot.posix.FileKind;
import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.ProcessCredentials;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Removes a directory and its content at any depth, even if modes forbid it; follows no link.
 * Continues after errors. Single use, one thread.
 */
public final class DirectoryRemover {
  private static final int MAX_PROBLEMS = 20;

  private final List<String> problems = new ArrayList<>();
  private final Deque<Level> levels = new ArrayDeque<>();
  private final StatBuffer stat = new StatBuffer();

  private record Level(
      OpenDirectory parent, String name, OpenDirectory open, Deque<String> children) {}

  private DirectoryRemover() {}

  /** Removes the directory; returns the errors, at most 20 lines. */
  public static List<String> remove(OpenDirectory parent, String name) throws IOException {
    DirectoryRemover removal = new DirectoryRemover();
    try {
      removal.run(parent, name);
    } finally {
      for (Level level : removal.levels) {
        level.open.close();
      }
    }
    return removal.problems;
  }

  private void run(OpenDirectory parent, String name) throws IOException {
    if (parent.statIfPresent(name, stat)) {
      if (stat.kind() == FileKind.DIRECTORY) {
        enter(parent, name);
      } else {
        unlink(parent, name);
      }
    }
    while (!levels.isEmpty()) {
      Level level = levels.getLast();
      String child = level.children.poll();
      if (child != null) {
        enter(level.open, child);
      } else {
        leave();
      }
    }
  }

  /** Unlinks everything that is not a directory at once; enters directories one after another. */
  private void enter(OpenDirectory parent, String name) {
    try {
      Level level = new Level(parent, name, open(parent, name), new ArrayDeque<>());
      levels.add(level);
      unlock(level.open);
      for (DirEntry each : level.open.list()) {
        if (isDirectory(level.open, each)) {
          level.children.add(each.name());
        } else {
          unlink(level.open, each.name());
        }
      }
    } catch (IOException e) {
      problem(e);
    }
  }

  private OpenDirectory open(OpenDirectory parent, String name) throws IOException {
    try {
      return parent.openChild(name);
    } catch (PosixException e) {
      if (!e.isDenied()) {
        throw e;
      }
      parent.chmod(name, 0700);
      return parent.openChild(name);
    }
  }

  private void unlock(OpenDirectory open) throws IOException {
    if (!ProcessCredentials.isSuperuser()) {
      open.stat(stat);
      if ((stat.permissions() & 0700) != 0700) {
        open.chmod(0700);
      }
    }
  }

  private boolean isDirectory(OpenDirectory open, DirEntry each) throws IOException {
    return switch (each.kind()) {
      case DIRECTORY -> true;
      case FILE, SYMLINK, OTHER -> false;
      case UNKNOWN -> open.statIfPresent(each.name(), stat) && stat.kind() == FileKind.DIRECTORY;
    };
  }

  private void unlink(OpenDirectory parent, String name) {
    try {
      parent.unlink(name);
    } catch (IOException e) {
      problem(e);
    }
  }

  private void leave() throws IOException {
    Level level = levels.removeLast();
    level.open.close();
    try {
      level.parent.rmdir(level.name);
    } catch (IOException e) {
      problem(e);
    }
  }

  /** Ignores entries that another process has already removed. */
  private void problem(IOException e) {
    boolean gone = e instanceof PosixException p && p.isAbsent();
    if (!gone && problems.size() < MAX_PROBLEMS) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }
}
