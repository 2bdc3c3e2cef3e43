/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.Excludes;
import dev.baton.snapshot.git.TrackedFiles;
import dev.baton.snapshot.posix.RawName;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is left out below a directory: names that always are, and the patterns of the {@code
 * .batonignore} files in it and above; but nothing that the nearest repository tracks. Immutable
 * but for what that repository tracks; the same object means the same rules.
 */
final class Rules {
  static final String IGNORE_FILE = ".batonignore";

  /** A repository is captured whole. */
  static final Rules EVERYTHING = new Rules(Set.of(), false, null, "", new byte[0], null, null);

  private final Set<String> excluded;
  private final boolean ignoreFiles;
  private final @Nullable Rules above;
  private final String base;
  private final byte[] text;
  private final @Nullable Patterns patterns;

  /** These, or any above. */
  private final boolean hasPatterns;

  private final @Nullable TrackedFiles tracked;

  /** Those in force outside of what is left out, where these are for a directory that is. */
  private final @Nullable Rules outside;

  private volatile @Nullable Rules inside;

  private Rules(
      Set<String> excluded,
      boolean ignoreFiles,
      @Nullable Rules above,
      String base,
      byte[] text,
      @Nullable Patterns patterns,
      @Nullable TrackedFiles tracked) {
    this.excluded = excluded;
    this.ignoreFiles = ignoreFiles;
    this.above = above;
    this.base = base;
    this.text = text;
    this.patterns = patterns;
    this.hasPatterns = patterns != null || (above != null && above.hasPatterns);
    this.tracked = tracked;
    this.outside = null;
  }

  /** For the inside of a directory that these leave out and something tracked is in. */
  private Rules(Rules outside) {
    this.excluded = outside.excluded;
    this.ignoreFiles = false;
    this.above = outside.above;
    this.base = outside.base;
    this.text = outside.text;
    this.patterns = outside.patterns;
    this.hasPatterns = outside.hasPatterns;
    this.tracked = outside.tracked;
    this.outside = outside;
  }

  static Rules of(Excludes excludes) {
    Set<String> raw =
        excludes.directoryNames().stream().map(RawName::of).collect(Collectors.toUnmodifiableSet());
    Rules names = new Rules(raw, true, null, "", new byte[0], null, null);
    return excludes.patterns().isEmpty()
        ? names
        : names.with("", String.join("\n", excludes.patterns()).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Those for a directory of this name.
   *
   * @param directory in which it is, as for {@link #with}
   */
  Rules entering(String directory, String name) {
    TrackedFiles known = tracked;
    if (name.equals(".git")) {
      return EVERYTHING;
    }
    if (known == null || !dependsOnPlace(name)) {
      return this;
    }
    Rules out = outside;
    if (out != null) {
      return known.isSubmodule(directory + name) ? out : this;
    }
    if (!isLeftOut(directory, name, true)) {
      return this;
    }
    return known.isSubmodule(directory + name) ? this : inside();
  }

  private Rules inside() {
    Rules known = inside;
    if (known == null) {
      synchronized (this) {
        known = inside == null ? new Rules(this) : inside;
        inside = known;
      }
    }
    return known;
  }

  /** Whether a directory below may have rules of its own: ignore files, and repositories. */
  boolean readsIgnoreFiles() {
    return ignoreFiles;
  }

  /** Whether {@link #entering} depends on where the directory of this name is. */
  boolean dependsOnPlace(String name) {
    return tracked != null && (outside != null || hasPatterns || excluded.contains(name));
  }

  /**
   * These and a file's.
   *
   * @param directory in which the file is: raw path from the root, empty or ending in a slash
   */
  Rules with(String directory, byte[] file) {
    return new Rules(excluded, ignoreFiles, this, directory, file, new Patterns(file), tracked);
  }

  /** Whether {@link #with} would make the same. */
  boolean isWith(Rules above, String directory, byte[] file) {
    return this.above == above
        && patterns != null
        && base.equals(directory)
        && Arrays.equals(text, file);
  }

  /** These in the work tree of a repository. */
  Rules tracking(TrackedFiles files) {
    return new Rules(excluded, ignoreFiles, this, files.base(), new byte[0], null, files);
  }

  /** What {@link #tracking} has made of the others, among these and those above; or null. */
  @Nullable Rules repositoryOn(Rules others) {
    for (Rules r = this; r != null && r != others; r = r.above) {
      if (r.above == others && r.patterns == null && r.tracked != null) {
        return r;
      }
    }
    return null;
  }

  /** Of the nearest repository; null where there is none. */
  @Nullable TrackedFiles tracked() {
    return tracked;
  }

  /** The plain names of directories that are left out, raw. */
  Set<String> names() {
    return excluded;
  }

  /**
   * Whether it is left out and the repository tracks nothing of it.
   *
   * @param directory as for {@link #with}
   */
  boolean excludes(String directory, String name, boolean isDirectory) {
    TrackedFiles known = tracked;
    if (outside != null && known != null) {
      return !known.covers(directory + name, isDirectory, false);
    }
    if (!isLeftOut(directory, name, isDirectory)) {
      return false;
    }
    boolean byName = isDirectory && excluded.contains(name);
    return known == null || !known.covers(directory + name, isDirectory, !byName);
  }

  /**
   * The nearest file that has a pattern for it decides (so one can also take back what is left out
   * otherwise); a repository and the files with the rules are never left out.
   */
  private boolean isLeftOut(String directory, String name, boolean isDirectory) {
    if (isDirectory ? name.equals(".git") : name.equals(IGNORE_FILE)) {
      return false;
    }
    for (Rules r = this; r != null; r = r.above) {
      Patterns p = r.patterns;
      if (p != null) {
        Boolean ignored = p.ignores(directory.substring(r.base.length()) + name, isDirectory);
        if (ignored != null) {
          return ignored;
        }
      }
    }
    return isDirectory && excluded.contains(name);
  }
}
