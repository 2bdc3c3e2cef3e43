/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import dev.baton.snapshot.Excludes;
import dev.baton.snapshot.posix.RawName;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is left out below a directory: names that always are, and the patterns of the {@code
 * .batonignore} files in it and above. Immutable; the same object means the same rules.
 */
final class Rules {
  static final String IGNORE_FILE = ".batonignore";

  /** A repository is captured whole. */
  static final Rules EVERYTHING = new Rules(Set.of(), false, null, "", new byte[0], null);

  private final Set<String> excluded;
  private final boolean ignoreFiles;
  private final @Nullable Rules above;
  private final String base;
  private final byte[] text;
  private final @Nullable Patterns patterns;

  private Rules(
      Set<String> excluded,
      boolean ignoreFiles,
      @Nullable Rules above,
      String base,
      byte[] text,
      @Nullable Patterns patterns) {
    this.excluded = excluded;
    this.ignoreFiles = ignoreFiles;
    this.above = above;
    this.base = base;
    this.text = text;
    this.patterns = patterns;
  }

  static Rules of(Excludes excludes) {
    Set<String> raw =
        excludes.directoryNames().stream().map(RawName::of).collect(Collectors.toUnmodifiableSet());
    return new Rules(raw, true, null, "", new byte[0], null);
  }

  /** Those for a directory of this name. */
  Rules entering(String name) {
    return name.equals(".git") ? EVERYTHING : this;
  }

  boolean readsIgnoreFiles() {
    return ignoreFiles;
  }

  /**
   * These and a file's.
   *
   * @param directory in which the file is: raw path from the root, empty or ending in a slash
   */
  Rules with(String directory, byte[] file) {
    return new Rules(excluded, ignoreFiles, this, directory, file, new Patterns(file));
  }

  /** Whether {@link #with} would make the same. */
  boolean isWith(Rules above, String directory, byte[] file) {
    return this.above == above && base.equals(directory) && Arrays.equals(text, file);
  }

  /**
   * The nearest file that has a pattern for it decides (so one can also take back what is left out
   * otherwise); a repository and the files with the rules are never left out.
   *
   * @param directory as for {@link #with}
   */
  boolean excludes(String directory, String name, boolean isDirectory) {
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
