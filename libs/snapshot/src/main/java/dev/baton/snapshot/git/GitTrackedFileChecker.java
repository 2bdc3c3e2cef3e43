/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.git;

import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.RawName;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks which paths the repository of a work tree tracks. Reads the index at the first request,
 * and again only if its times have changed. Thread-safe.
 */
public final class GitTrackedFileChecker {
  /**
   * If the index was changed less than this before it was read, a second change may leave the same
   * times.
   */
  private static final long TICK_MILLIS = 50;

  private final Path root;
  private final String seenAs;
  private final String base;
  private final Set<String> names;
  private @Nullable Seen seen;

  /** Set when a pattern is checked: then all paths are kept, not only those below certain names. */
  private boolean all;

  private record Stamp(long inode, long size, long mtime, long ctime, boolean settled) {}

  private record Seen(@Nullable Stamp stamp, GitTrackedPathSet paths, boolean all) {}

  /**
   * @param root of the scanned tree
   * @param seenAs the absolute path of the root as programs see it, raw
   * @param base path of the work tree: raw, from the root, empty or ending in a slash
   * @param names raw names of directories; {@link #covers} checks paths below these
   */
  public GitTrackedFileChecker(Path root, String seenAs, String base, Set<String> names) {
    this.root = root;
    this.seenAs = seenAs;
    this.base = base;
    this.names = names;
  }

  /** Returns the root of the scanned tree. */
  public Path root() {
    return root;
  }

  /** Returns the path of the work tree: raw, from the root, empty or ending in a slash. */
  public String base() {
    return base;
  }

  /**
   * Returns whether the repository tracks the path or, for a directory, a path below it.
   *
   * @param path raw, from the root
   * @param byPattern whether a pattern excludes the path, not the name of a directory
   */
  public synchronized boolean covers(String path, boolean isDirectory, boolean byPattern) {
    all |= byPattern;
    return paths().covers(path.substring(base.length()), isDirectory);
  }

  /** Returns whether the path is a submodule. */
  public synchronized boolean isSubmodule(String path) {
    return paths().isWhole(path.substring(base.length()));
  }

  /**
   * Returns whether earlier results are still valid. Costs a stat of the index; reads it if the
   * stat differs.
   */
  public synchronized boolean isCurrent() {
    Seen before = seen;
    if (before == null) {
      return true;
    }
    Stamp stamp = stamp();
    if (stamp != null && stamp.settled() && stamp.equals(before.stamp())) {
      return true;
    }
    Seen now = read();
    if (now.all() == before.all() && now.paths().equals(before.paths())) {
      seen = now;
      return true;
    }
    return false;
  }

  private GitTrackedPathSet paths() {
    Seen known = seen;
    if (known == null || (all && !known.all())) {
      known = read();
      seen = known;
    }
    return known.paths();
  }

  private @Nullable Stamp stamp() {
    try (OpenDirectory folder = folder()) {
      return stamp(folder);
    } catch (IOException e) {
      // Reading fails with the same error and handles it.
      return null;
    }
  }

  private static @Nullable Stamp stamp(OpenDirectory folder) throws IOException {
    StatBuffer stat = new StatBuffer();
    long began = System.currentTimeMillis() - TICK_MILLIS;
    if (!folder.statIfPresent("index", stat)) {
      return null;
    }
    long ctime = stat.ctimeSeconds * 1_000_000_000L + stat.ctimeNanos;
    long mtime = stat.mtimeSeconds * 1_000_000_000L + stat.mtimeNanos;
    return new Stamp(stat.inode, stat.size, mtime, ctime, ctime < began * 1_000_000L);
  }

  private Seen read() {
    boolean whole = all;
    Stamp stamp = null;
    GitTrackedPathSet read;
    try (OpenDirectory folder = folder()) {
      stamp = stamp(folder);
      read = GitTrackedPathSet.read(folder, path -> whole || isBelowName(path));
    } catch (PosixException e) {
      // Without a git directory, no path is tracked.
      read =
          e.isAbsent() || e.isReplaced() ? GitTrackedPathSet.NONE : GitTrackedPathSet.unreadable();
    } catch (IOException e) {
      read = GitTrackedPathSet.unreadable();
    }
    return new Seen(stamp, read, whole);
  }

  private boolean isBelowName(String path) {
    int from = 0;
    for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', from)) {
      if (names.contains(path.substring(from, slash))) {
        return true;
      }
      from = slash + 1;
    }
    return names.contains(path.substring(from));
  }

  private OpenDirectory folder() throws IOException {
    String from = RawName.ofPath(root);
    String path = base.isEmpty() ? from : from + "/" + base.substring(0, base.length() - 1);
    try (OpenDirectory workTree = OpenDirectory.openRaw(path)) {
      return GitDirectoryOpener.open(workTree, path, from, seenAs);
    }
  }
}
