/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.git.GitTrackedFileChecker;
import dev.baton.snapshot.posix.RawName;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rules that exclude paths below a directory: directory names, and the patterns of the {@code
 * .batonignore} files in it and above; except paths that the nearest repository tracks. Immutable
 * except for the tracked paths; the same object means the same rules.
 */
final class IgnoreRuleSet {
  static final String IGNORE_FILE = ".batonignore";

  /** Excludes nothing: a .git directory is captured completely. */
  static final IgnoreRuleSet EVERYTHING =
      new IgnoreRuleSet(Set.of(), false, null, "", new byte[0], null, null);

  private final Set<String> excluded;
  private final boolean ignoreFiles;
  private final @Nullable IgnoreRuleSet above;
  private final String base;
  private final byte[] text;
  private final @Nullable IgnorePatternMatcher patterns;

  /** Whether these rules or any above have patterns. */
  private final boolean hasPatterns;

  private final @Nullable GitTrackedFileChecker tracked;

  /** The rules outside of an excluded directory, if these are the rules inside it. */
  private final @Nullable IgnoreRuleSet outside;

  private volatile @Nullable IgnoreRuleSet inside;

  private IgnoreRuleSet(
      Set<String> excluded,
      boolean ignoreFiles,
      @Nullable IgnoreRuleSet above,
      String base,
      byte[] text,
      @Nullable IgnorePatternMatcher patterns,
      @Nullable GitTrackedFileChecker tracked) {
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

  /** Creates the rules for the inside of an excluded directory that contains a tracked path. */
  private IgnoreRuleSet(IgnoreRuleSet outside) {
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

  static IgnoreRuleSet of(ExcludePolicy excludes) {
    Set<String> raw =
        excludes.directoryNames().stream().map(RawName::of).collect(Collectors.toUnmodifiableSet());
    IgnoreRuleSet names = new IgnoreRuleSet(raw, true, null, "", new byte[0], null, null);
    return excludes.patterns().isEmpty()
        ? names
        : names.with("", String.join("\n", excludes.patterns()).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the rules for a subdirectory of this name.
   *
   * @param directory that contains it, as for {@link #with}
   */
  IgnoreRuleSet entering(String directory, String name) {
    GitTrackedFileChecker known = tracked;
    if (name.equals(".git")) {
      return EVERYTHING;
    }
    if (known == null || !dependsOnPlace(name)) {
      return this;
    }
    IgnoreRuleSet out = outside;
    if (out != null) {
      return known.isSubmodule(directory + name) ? out : this;
    }
    if (!isLeftOut(directory, name, true)) {
      return this;
    }
    return known.isSubmodule(directory + name) ? this : inside();
  }

  private IgnoreRuleSet inside() {
    IgnoreRuleSet known = inside;
    if (known == null) {
      synchronized (this) {
        known = inside == null ? new IgnoreRuleSet(this) : inside;
        inside = known;
      }
    }
    return known;
  }

  /** Returns whether directories below may have their own rules: ignore files and repositories. */
  boolean readsIgnoreFiles() {
    return ignoreFiles;
  }

  /** Returns whether {@link #entering} depends on the path of the directory with this name. */
  boolean dependsOnPlace(String name) {
    return tracked != null && (outside != null || hasPatterns || excluded.contains(name));
  }

  /**
   * Adds the rules of a file.
   *
   * @param directory that contains the file: raw path from the root, empty or ending in a slash
   */
  IgnoreRuleSet with(String directory, byte[] file) {
    return new IgnoreRuleSet(
        excluded, ignoreFiles, this, directory, file, new IgnorePatternMatcher(file), tracked);
  }

  /** Returns whether {@link #with} would return equal rules. */
  boolean isWith(IgnoreRuleSet above, String directory, byte[] file) {
    return this.above == above
        && patterns != null
        && base.equals(directory)
        && Arrays.equals(text, file);
  }

  /** Adds the tracked paths of a repository, for its work tree. */
  IgnoreRuleSet tracking(GitTrackedFileChecker files) {
    return new IgnoreRuleSet(excluded, ignoreFiles, this, files.base(), new byte[0], null, files);
  }

  /**
   * Returns the rules that {@link #tracking} has created from the others, among these and those
   * above; or null.
   */
  @Nullable IgnoreRuleSet repositoryOn(IgnoreRuleSet others) {
    for (IgnoreRuleSet r = this; r != null && r != others; r = r.above) {
      if (r.above == others && r.patterns == null && r.tracked != null) {
        return r;
      }
    }
    return null;
  }

  /** Returns the tracked files of the nearest repository; null if there is none. */
  @Nullable GitTrackedFileChecker tracked() {
    return tracked;
  }

  /** Returns the plain names of excluded directories, raw. */
  Set<String> names() {
    return excluded;
  }

  /**
   * Returns whether the rules exclude the path and the repository tracks nothing in it.
   *
   * @param directory as for {@link #with}
   */
  boolean excludes(String directory, String name, boolean isDirectory) {
    GitTrackedFileChecker known = tracked;
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
   * Applies the nearest file with a matching pattern (which can also include a path again). A .git
   * directory and ignore files are never excluded.
   */
  private boolean isLeftOut(String directory, String name, boolean isDirectory) {
    if (isDirectory ? name.equals(".git") : name.equals(IGNORE_FILE)) {
      return false;
    }
    for (IgnoreRuleSet r = this; r != null; r = r.above) {
      IgnorePatternMatcher p = r.patterns;
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
