/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.git;

import dev.baton.snapshot.posix.OpenDirectory;
import dev.baton.snapshot.posix.PosixException;
import dev.baton.snapshot.posix.StatBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Holds the tracked paths of a repository, limited to the requested ones. Immutable.
 *
 * @param everything true if the index cannot be read: then each path counts as tracked
 * @param paths raw, relative to the work tree, ascending
 * @param whole those paths that stand for a directory with all paths below it: submodules
 */
public record GitTrackedPathSet(boolean everything, List<String> paths, Set<String> whole) {
  /** Tracks no path. */
  public static final GitTrackedPathSet NONE = new GitTrackedPathSet(false, List.of(), Set.of());

  private static final GitTrackedPathSet EVERYTHING =
      new GitTrackedPathSet(true, List.of(), Set.of());
  private static final int MAX_INDEX = 1 << 29;
  private static final int MAX_CONFIG = 1 << 20;

  /** Reads the paths of a work tree that match the predicate; paths are relative to the tree. */
  static GitTrackedPathSet read(OpenDirectory gitFolder, Predicate<String> wanted)
      throws IOException {
    List<String> paths = new ArrayList<>();
    Set<String> whole = new HashSet<>();
    StatBuffer stat = new StatBuffer();
    try {
      byte[] index = SmallFileReader.bytes(gitFolder, "index", MAX_INDEX, stat);
      int hash = hashBytes(gitFolder, stat);
      String shared =
          new GitIndexReader(index, hash).read((p, m) -> add(p, m, wanted, paths, whole));
      if (!shared.isEmpty()) {
        byte[] base = SmallFileReader.bytes(gitFolder, "sharedindex." + shared, MAX_INDEX, stat);
        new GitIndexReader(base, hash).read((p, m) -> add(p, m, wanted, paths, whole));
      }
    } catch (PosixException e) {
      if (e.isAbsent()) {
        return NONE;
      }
      throw e;
    }
    String[] sorted = paths.toArray(new String[0]);
    Arrays.sort(sorted);
    return new GitTrackedPathSet(false, List.of(sorted), Set.copyOf(whole));
  }

  /** Used if the index exists but cannot be read. */
  static GitTrackedPathSet unreadable() {
    return EVERYTHING;
  }

  private static void add(
      String path, int mode, Predicate<String> wanted, List<String> paths, Set<String> whole) {
    String plain = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    if (wanted.test(plain)) {
      paths.add(plain);
      if (mode == GitIndexReader.GITLINK || mode == GitIndexReader.DIRECTORY) {
        whole.add(plain);
      }
    }
  }

  /** Returns the length of object names: the configuration of the repository defines the hash. */
  private static int hashBytes(OpenDirectory gitFolder, StatBuffer stat) throws IOException {
    String config;
    try {
      // The git directory of a linked work tree is two levels below that of its repository.
      boolean linked = gitFolder.statIfPresent("commondir", stat);
      config = linked ? commonConfig(gitFolder, stat) : config(gitFolder, stat);
    } catch (PosixException e) {
      if (e.isAbsent()) {
        return 20;
      }
      throw e;
    }
    String plain = config.toLowerCase(Locale.ROOT).replaceAll("[ \t\"]", "");
    return plain.contains("objectformat=sha256") ? 32 : 20;
  }

  private static String commonConfig(OpenDirectory gitFolder, StatBuffer stat) throws IOException {
    try (OpenDirectory common = OpenDirectory.openRaw(gitFolder.raw() + "/../..")) {
      return config(common, stat);
    }
  }

  private static String config(OpenDirectory folder, StatBuffer stat) throws IOException {
    return SmallFileReader.text(folder, "config", MAX_CONFIG, stat);
  }

  /** Returns whether the path is tracked, or is a directory above a tracked path. */
  public boolean covers(String path, boolean isDirectory) {
    if (everything || contains(path)) {
      return true;
    }
    if (!isDirectory) {
      return false;
    }
    String below = path + "/";
    int at = place(below);
    return at < paths.size() && paths.get(at).startsWith(below);
  }

  /** Returns whether the path is a submodule, whose own repository tracks the paths in it. */
  public boolean isWhole(String path) {
    return everything || whole.contains(path);
  }

  private boolean contains(String path) {
    int at = place(path);
    return at < paths.size() && paths.get(at).equals(path);
  }

  private int place(String path) {
    int at = Collections.binarySearch(paths, path);
    return at < 0 ? -at - 1 : at;
  }
}
